// In a line that took the place of another, the words that differ are marked, and in the other one as well.
for (const pre of document.querySelectorAll(".file .code")) {
  let removed = [], added = [];
  for (const line of [...pre.children, pre]) {
    if (line.matches(".del") && !added.length) removed.push(line);
    else if (line.matches(".add")) added.push(line);
    else {
      if (removed.length === added.length) removed.forEach((r, i) => compare(...[r, added[i]].map((e) => e.querySelector("b").firstChild)));
      [removed, added] = line.matches(".del") ? [[line], []] : [[], []];
    }
  }
}

/** Marks what two texts do not have in common, in whole words, if they have something. */
function compare(...texts) {
  const [was, is] = texts.map((t) => t?.data.match(/\w+|\s+|[^]/g) ?? []);
  let first = 0, last = 0;
  while (first < Math.min(was.length, is.length) && was[first] === is[first]) first++;
  while (last < Math.min(was.length, is.length) - first && was.at(-1 - last) === is.at(-1 - last)) last++;
  if (!(was.slice(0, first).join("") + was.slice(was.length - last).join("")).trim()) return;
  for (const [text, words] of [[texts[0], was], [texts[1], is]]) {
    const middle = words.slice(first, words.length - last).join("");
    if (!middle) continue;
    const changed = text.splitText(words.slice(0, first).join("").length), mark = document.createElement("mark");
    changed.splitText(middle.length);
    changed.replaceWith(mark);
    mark.append(changed);
  }
}
