// The page asks again for its part that changes, when it hears that something changed. What a
// person has opened stays open, what they have read stays where it is.
const main = document.getElementById("main"), link = document.getElementById("link");
const said = new Map(); // the last action, by step
let asking = false, again = false;

function showNow() {
  for (const p of main.querySelectorAll(".now")) p.textContent = said.get(p.dataset.step) ?? "";
}

// A text that somebody is writing is not taken from them: the page waits.
function writing() {
  return [...main.querySelectorAll("textarea")].some((t) => t.value !== "" || t === document.activeElement);
}

async function refresh() {
  if (writing()) { again = true; link.textContent = "something changed; it is shown once your text is sent or removed"; return; }
  if (asking) { again = true; return; }
  asking = true;
  try {
    const answer = await fetch("main");
    if (!answer.ok) throw new Error(await answer.text());
    const next = document.createElement("main");
    next.innerHTML = await answer.text(); // of our own server, which escapes all that others wrote
    const chosen = new Map([...main.querySelectorAll("details[id]")].map((d) => [d.id, d]));
    const focus = document.activeElement?.closest("[id]")?.id;
    for (const d of next.querySelectorAll("details[id]")) {
      const before = chosen.get(d.id);
      if (before?.dataset.touched) { d.open = before.open; d.dataset.touched = "1"; }
      const body = before?.querySelector(":scope > .body");
      if (body?.childElementCount) d.querySelector(":scope > .body")?.replaceChildren(...body.childNodes);
    }
    main.replaceChildren(...next.childNodes);
    if (focus && focus !== "main") document.getElementById(focus)?.querySelector("summary")?.focus({ preventScroll: true });
    document.title = `${main.querySelector("h1").textContent} – ${main.querySelector("progress").textContent} – git plan`;
    showNow();
    link.textContent = "";
  } catch (e) {
    link.textContent = "cannot be read now: " + e.message;
  }
  asking = false;
  if (again) { again = false; refresh(); }
}

main.addEventListener("click", (e) => {
  const d = e.target.closest("summary")?.parentElement;
  if (d?.id) d.dataset.touched = "1";
});
main.addEventListener("toggle", async (e) => {
  const d = e.target, body = d.querySelector?.(":scope > .body");
  if (!d.open || !d.dataset.diff || body.childElementCount) return;
  const answer = await fetch(d.dataset.diff);
  if (answer.ok) body.innerHTML = await answer.text();
}, true);

main.addEventListener("focusout", () => setTimeout(() => { if (again && !writing()) { again = false; refresh(); } }));

const events = new EventSource("events");
events.addEventListener("changed", refresh);
events.addEventListener("now", (e) => {
  const now = JSON.parse(e.data);
  said.set(now.step, now.text);
  showNow();
});
events.onerror = () => { link.textContent = "git plan web has ended, or cannot be reached"; };
events.onopen = () => { link.textContent = ""; };
