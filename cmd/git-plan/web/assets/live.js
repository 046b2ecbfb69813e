// The server says that the plan changed: then the page is read again, and the parts of it that differ take
// the place of those with their ids. What a person has opened stays open, what they write or read where it
// is, and the focus with them.
import { dress } from "./copy.js";

const main = document.getElementById("main"), link = document.getElementById("link"), news = document.getElementById("news");
const mostCalls = 100; // that are shown
const focusable = "summary, a, button, textarea, [tabindex]";
const calls = new Map(); // what sessions do, by step
const held = new Map(); // parts that wait until the text in the old ones is sent, by id

const parse = (html) => { const t = document.createElement("template"); t.innerHTML = html; return t.content; }; // of our own server, which escapes all that others wrote
const partsOf = (root) => new Map([...root.querySelectorAll("#head, #about, section[id]:not(#s-steps), #steps > li[id], #steps svg[id], p[id].key")].map((e) => [e.id, e]));
const textOf = (e) => e.matches("li") ? e.outerHTML.replace(/<svg class="bar"[^]*?<\/svg>/, "") : e.outerHTML; // the bar of a step is a part of its own
const textsOf = (parts) => new Map([...parts].map(([id, e]) => [id, textOf(e)]));
let shown = textsOf(partsOf(main)); // as the server wrote them

// A text that is being written is not lost.
const writing = (part) => [...part.querySelectorAll("textarea")].some((t) => t.value !== "" || t === document.activeElement);

const idOf = (e) => e.closest("[id]")?.id;
const nameOf = (e) => e.tagName + e.textContent;

// The new part begins as a person has left the old one.
function carry(before, after) {
  const old = new Map([...before.querySelectorAll("details[id]")].map((d) => [d.id, d]));
  for (const d of after.querySelectorAll("details[id]")) {
    const was = old.get(d.id);
    if (was?.dataset.touched) { d.open = was.open; d.dataset.touched = "1"; }
  }
}

// Does something to a part of the page; then the focus is where it was, or at what is left of that.
function keepingFocus(at, change) {
  const had = at.contains(document.activeElement) ? document.activeElement : null, id = had && idOf(had), name = had && nameOf(had);
  change();
  if (!had || document.activeElement === had) return;
  const near = document.getElementById(id) ?? main;
  const all = [...near.querySelectorAll(focusable)];
  (all.find((e) => idOf(e) === id && nameOf(e) === name) ?? all.find((e) => idOf(e) === id) ?? all[0] ?? main).focus({ preventScroll: true });
}

function place(part) {
  const was = document.getElementById(part.id);
  if (!was || was === part) return;
  if (writing(was)) { held.set(part.id, part); return; }
  held.delete(part.id);
  keepingFocus(was, () => { carry(was, part); was.replaceWith(part); });
  settle(part);
}

// Shows what sessions do in a new part.
function settle(part) {
  for (const list of part.querySelectorAll("[data-calls]")) showCalls(list);
  part.querySelectorAll("code.copy").forEach(dress);
  tick();
}

// How long a session has been at work.
function tick() {
  for (const clock of main.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - clock.dataset.since) / 1000)), two = (n) => String(Math.floor(n)).padStart(2, "0");
    clock.textContent = (seconds < 3600 ? "" : Math.floor(seconds / 3600) + ":") + (seconds < 3600 ? Math.floor(seconds / 60) : two(seconds / 60 % 60)) + ":" + two(seconds % 60);
    clock.hidden = false;
  }
}
setTimeout(tick);
setInterval(tick, 1000);

function placeHeld() {
  for (const part of [...held.values()]) place(part);
  waits();
}

// One notice is seen wherever one reads; that the server is gone goes before all others.
let gone = false;
function waits(other = "") {
  link.textContent = gone ? "git plan web has ended: this page is out of date. Start it again; its terminal shows the new address." :
    other || (held.size ? "something changed; it is shown once your text is sent or removed" : "");
  document.documentElement.classList.toggle("noticed", link.textContent !== "");
}

// While the server is gone, nothing can be done.
function reaches(there) {
  gone = !there;
  for (const b of main.querySelectorAll("form button, a.button")) {
    if (gone) b.setAttribute("aria-disabled", "true");
    else b.removeAttribute("aria-disabled");
  }
  waits();
}
for (const kind of ["click", "submit"]) main.addEventListener(kind, (e) => { if (gone && (kind === "submit" || e.target.closest("[aria-disabled]"))) e.preventDefault(); });

// Reads the page again, and places what differs: all of it if its steps are others.
async function update() {
  const answer = await fetch("main");
  if (!answer.ok) throw new Error(await answer.text());
  const next = parse(await answer.text()), parts = partsOf(next);
  const now = textsOf(parts), before = shown;
  shown = now;
  if ([...now.keys()].join() !== [...before.keys()].join() && !writing(main)) {
    held.clear();
    keepingFocus(main, () => { carry(main, next); main.replaceChildren(...next.childNodes); });
    settle(main);
  } else {
    for (const [id, part] of parts) if (before.get(id) !== now.get(id)) place(part);
  }
  document.title = document.getElementById("head").dataset.tab;
  announce();
}

function heard(call) {
  const list = (calls.get(call.step) ?? []).filter((c) => c.n !== call.n && !(call.fresh && c.who === call.who));
  calls.set(call.step, [...list, call].slice(-mostCalls));
}

// The last is seen; those before it once they are opened.
function showCalls(at) {
  const list = calls.get(at.dataset.calls) ?? [], last = list.at(-1), rows = at.querySelector("ol");
  at.querySelector("summary").textContent = last ? last.text : "";
  at.hidden = !last;
  if (!at.open) { rows.replaceChildren(); return; }
  const low = rows.scrollTop + rows.clientHeight >= rows.scrollHeight - 4;
  const old = new Map([...rows.children].map((li) => [li.dataset.n, li]));
  rows.replaceChildren(...list.map((c) => old.get(String(c.n)) ?? row(c)));
  if (low) rows.scrollTop = rows.scrollHeight;
}

function row(c) {
  const li = document.createElement("li"), time = document.createElement("time");
  li.dataset.n = c.n;
  time.textContent = c.time;
  li.append(time, ` ${c.text}`);
  return li;
}

// What matters is announced, at most every few seconds: how far the plan is, and who waits for a person.
let announced = document.querySelector("[data-news]")?.textContent, later;
function announce() {
  later ??= setTimeout(() => {
    later = undefined;
    const now = [...document.querySelectorAll("[data-news]")].map((e) => e.textContent.trim()).join("; ").replace(/\s+/g, " ");
    if (now !== announced) news.textContent = announced = now;
  }, 2000);
}

main.addEventListener("click", (e) => {
  const d = e.target.closest("summary")?.parentElement;
  if (d?.id) d.dataset.touched = "1";
});
main.addEventListener("toggle", (e) => {
  if (e.target.dataset?.calls !== undefined) showCalls(e.target);
}, true);
main.addEventListener("focusout", () => setTimeout(placeHeld));

// However much changes, the page is read at most every half a second, and once after the last change.
let stale = false, reading = false;
async function refresh() {
  stale = true;
  if (reading) return;
  for (reading = true; stale; await new Promise((done) => setTimeout(done, 500))) {
    stale = false;
    await update().then(() => waits(), (e) => waits("cannot be read now: " + e.message));
  }
  reading = false;
}

const events = new EventSource("events");
events.onmessage = (e) => {
  const n = JSON.parse(e.data);
  if (n.call) {
    heard(n.call);
    for (const list of main.querySelectorAll("[data-calls]")) showCalls(list);
  }
  if (n.changed) refresh();
};
events.onerror = () => reaches(false);
events.onopen = () => reaches(true);
