// The page asks again for its part that changes, when it hears that something changed, and replaces
// what is different there. What a person has opened stays open, what they write or read where it is.
const main = document.getElementById("main"), link = document.getElementById("link"), news = document.getElementById("news");
const pause = 100; // milliseconds between two questions: a run may have 100 events a second
const said = new Map(); // the last action, by step
const source = new WeakMap(); // of a part, as the server sent it
let asking = false, again = false, asked = 0;

function showNow() {
  for (const p of main.querySelectorAll(".now")) p.textContent = said.get(p.dataset.step) ?? "";
}

// A text that somebody is writing is not taken from them: the page waits.
function writing() {
  return [...main.querySelectorAll("textarea")].some((t) => t.value !== "" || t === document.activeElement);
}

// The new part begins as a person has left the old one.
function carry(before, after) {
  const old = new Map([...before.querySelectorAll("details[id]")].map((d) => [d.id, d]));
  for (const d of after.querySelectorAll("details[id]")) {
    const was = old.get(d.id);
    if (was?.dataset.touched) { d.open = was.open; d.dataset.touched = "1"; }
    const body = was?.querySelector(":scope > .body");
    if (body?.childElementCount) d.querySelector(":scope > .body")?.replaceChildren(...body.childNodes);
  }
}

// The children of an element become those of another; what is the same stays.
function merge(now, next) {
  const before = new Map([...now.children].map((c) => [c.id, c]));
  const children = [...next.children].map((n) => {
    const o = n.id ? before.get(n.id) : undefined, parts = n.querySelector(":scope > .parts"), had = o?.querySelector(":scope > .parts");
    if (parts && had) { merge(had, parts); return o; }
    const html = n.outerHTML;
    if (o && source.get(o) === html) return o;
    if (o) carry(o, n);
    source.set(n, html);
    return n;
  });
  const same = children.length === now.children.length && children.every((c, i) => c.id && c.id === now.children[i].id);
  if (!same) now.replaceChildren(...children);
  else children.forEach((c, i) => { if (c !== now.children[i]) now.children[i].replaceWith(c); });
}

function remember(parent) {
  for (const c of parent.children) {
    const parts = c.querySelector(":scope > .parts");
    if (parts) remember(parts);
    else source.set(c, c.outerHTML);
  }
}

const waits = () => { again = true; link.textContent = "something changed; it is shown once your text is sent or removed"; };

async function refresh() {
  if (asking) { again = true; return; }
  if (writing()) return waits();
  asking = true;
  await new Promise((done) => setTimeout(done, asked + pause - Date.now()));
  asked = Date.now();
  again = false;
  try {
    const answer = await fetch("main");
    if (!answer.ok) throw new Error(await answer.text());
    const next = document.createElement("main");
    next.innerHTML = await answer.text(); // of our own server, which escapes all that others wrote
    if (writing()) { // begun meanwhile
      asking = false;
      return waits();
    }
    const focus = document.activeElement?.closest("[id]")?.id;
    merge(main, next);
    if (focus && !main.contains(document.activeElement)) document.getElementById(focus)?.querySelector("summary, a, button")?.focus({ preventScroll: true });
    document.title = `${main.querySelector("h1").textContent} – ${main.querySelector("progress").textContent} – git plan`;
    showNow();
    link.textContent = "";
    const facts = main.querySelector("[data-news]").textContent;
    if (news.textContent !== facts) news.textContent = facts;
  } catch (e) {
    link.textContent = "cannot be read now: " + e.message;
  }
  asking = false;
  if (again) refresh();
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

main.addEventListener("focusout", () => setTimeout(() => { if (again && !asking && !writing()) refresh(); }));

remember(main);
const events = new EventSource("events");
events.addEventListener("changed", refresh);
events.addEventListener("now", (e) => {
  const now = JSON.parse(e.data);
  said.set(now.step, now.text);
  showNow();
});
events.onerror = () => { link.textContent = "git plan web has ended, or cannot be reached"; };
events.onopen = () => { link.textContent = ""; };
