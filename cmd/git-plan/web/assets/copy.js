// A command that a person types elsewhere has a button that copies it.
setTimeout(() => document.querySelectorAll("code.copy").forEach(dress)); // once live.js has kept what the server wrote

/** Puts the button behind a command. */
export function dress(code) {
  if (!navigator.clipboard || code.nextElementSibling?.matches(".copies")) return;
  const b = document.createElement("button");
  b.type = "button";
  b.className = "copies";
  b.textContent = "Copy";
  b.setAttribute("aria-label", `Copy ${code.textContent}`);
  b.addEventListener("click", () => navigator.clipboard.writeText(code.textContent).then(() => {
    b.textContent = "Copied";
    setTimeout(() => { b.textContent = "Copy"; }, 1500);
  }));
  code.after(b);
}
