// drive.mjs STORY: serves the plan of the current folder by `git plan web`, and runs the function that
// the module STORY exports on its pages in real Chromium. CHROMIUM is that program, MODULES the folder
// with playwright-core and axe-core, and ROOM the browser's own, for temporary files. With SHOTS=DIR
// pictures are kept there, for people to look at. Without STORY it only starts the browser.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { CHROMIUM, MODULES, ROOM, SHOTS } = process.env;
const load = createRequire(join(MODULES, "x.js"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

// Chromium's automatic requests, and features that need a screen or another user, are switched off.
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const sizes = [{ width: 360, height: 740 }, { width: 820, height: 1100 }, { width: 1440, height: 900 }];

const wrong = []; // what pages complained of, and whoever they asked that is not the server
const running = new Set();

/** Starts a command line, as a person would in another terminal. */
function start(line) {
  const p = spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(p);
  let said = "";
  p.stdout.on("data", (b) => (said += b));
  p.stderr.on("data", (b) => (said += b));
  const ended = new Promise((done) => p.on("close", (code) => { running.delete(p); done({ code, said }); }));
  return { pid: p.pid, ended };
}

/** Runs a command line to its end and returns what it printed. */
async function sh(line, want = 0) {
  const { code, said } = await start(line).ended;
  if (code !== want) throw new Error(`${line}: exit code ${code}, want ${want}:\n${said}`);
  return said;
}

/** Waits until something is so. */
async function until(so) {
  for (const end = Date.now() + 60_000; !(await so()); await new Promise((done) => setTimeout(done, 50))) {
    if (Date.now() > end) throw new Error(`it is never so: ${so}`);
  }
}

/** Starts git plan web and returns its addresses. */
async function serve(more = "") {
  const p = spawn("sh", ["-c", `exec git plan web ${more}`], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(p);
  p.on("close", () => running.delete(p));
  const at = { pid: p.pid, end: () => new Promise((done) => { p.on("close", done); p.kill("SIGINT"); }) };
  for await (const line of createInterface(p.stdout)) {
    const [, kind, address] = /^(read-only|full access): +(\S+)$/.exec(line) ?? [];
    at[kind === "read-only" ? "look" : "act"] = address;
    if (at.act || more.includes("--read-only")) return at;
  }
  throw new Error("git plan web printed no address");
}

/** Returns the seconds of processor that a process and its children have used. */
function used(pid) {
  const fields = (p) => { try { return readFileSync(`/proc/${p}/stat`, "utf8").replace(/.*\) /, "").split(" "); } catch { return []; } };
  const all = readdirSync("/proc").filter((p) => p === String(pid) || fields(p)[1] === String(pid));
  return all.map(fields).reduce((sum, f) => sum + (Number(f[11]) + Number(f[12])) / 100, 0);
}

/** Opens an address in a window of its own. */
async function open(browser, address, { size = sizes[2], dark = false, load = true } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error" && !/status of (40|5)|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED/.test(m.text())) wrong.push(m.text()); });
  page.on("request", (r) => { if (!/^(data|file):/.test(r.url()) && new URL(r.url()).hostname !== "127.0.0.1") wrong.push("asks " + r.url()); });
  if (load) await page.goto(address);
  return page;
}

/** Fails if axe finds something serious. */
async function sound(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact));
  if (bad.length) throw new Error(`${name}: ` + bad.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join("; ")}`).join("\n"));
}

/** The same, light and dark, and that the page fits into each of three widths. */
async function everywhere(page, name) {
  const before = page.viewportSize();
  await page.waitForLoadState();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const size of sizes) {
      await page.setViewportSize(size);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) throw new Error(`${name}: ${wide} pixels too wide for ${size.width}`);
      const over = await page.evaluate(() => [...document.querySelectorAll(".nums > *, td, th")]
        .filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent));
      if (over.length) throw new Error(`${name}: written over its neighbour at ${size.width}: ${over.join("; ")}`);
      if (size === sizes[colorScheme === "dark" ? 0 : 1]) await sound(page, `${name}, ${size.width} ${colorScheme}`);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${size.width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}

// Values that differ between runs or belong to a story: ids, commits (in quotes if they look like numbers), times; cells below their row; events,
// and announcements of them.
const differs = [
  [/^ +- listitem: \d+ (January|February|March|April|May|June|July|August|September|October|November|December)\n/gm, ""],
  [/^ *- status.*\n/gm, ""],
  [/^ +- row "(sessions|checks|review \d|people|waited|nobody|tokens|cost)[^"]*":?\n/gm, ""], [/^ +- (cell|columnheader|rowheader)( .*)?\n/gm, ""], [/^( +)- listitem:\n\1  - time: .*\n(\1  - .*\n)*/gm, ""],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, "TIME"], [/"[0-9a-f]{10,}"|\b[0-9a-f]{10,}\b/g, "COMMIT"], [/\b([a-z]+)-[0-9a-f]{4}\b/g, "$1-ID"],
  [/pid \d+/g, "pid N"], [/\b\d+(\.\d+)?(ms|s|m\d+s|m|h\d+m)\b/g, "TOOK"], [/\b\d\d:\d\d:\d\d\b/g, "TIME"],
  [/\bTOOK (?=≥?\d)/g, ""], // before the tokens of a step
  [/^ +- (img "[^"]*TOOK[^"]*"|text: ("\d+"|(\d+ )?TOOK))\n/gm, ""], // what steps took
];

/** Writes what a screen reader has of the page to a file. */
async function outline(page, file) {
  let text = (await page.locator("body").ariaSnapshot()) + "\n";
  for (const [from, to] of differs) text = text.replace(from, to);
  writeFileSync(file, text);
}

/** Starts the browser. That is not what is tested, so it is tried twice; why it failed is said in few lines. */
async function launch() {
  for (let left = 1; ; left--) {
    try {
      return await chromium.launch({ executablePath: CHROMIUM, args, env: { ...process.env, TMPDIR: ROOM } });
    } catch (e) {
      const said = e.message.split("\n").filter((l) => l.trim() && !l.includes("<launching>")).map((l) => l.slice(0, 300));
      console.error([`${CHROMIUM} does not start:`, ...(said.length > 24 ? [...said.slice(0, 12), "...", ...said.slice(-12)] : said)].join("\n  "));
      if (!left) process.exit(1);
    }
  }
}

const browser = await launch();
if (!process.argv[2]) {
  await browser.close();
  process.exit();
}
try {
  const story = await import(pathToFileURL(process.argv[2]));
  await story.default({ browser, open: (address, how) => open(browser, address, how), serve, start, sh, until, used, sound, everywhere, outline, sizes });
  if (wrong.length) throw new Error("pages complained:\n" + wrong.join("\n"));
} catch (e) {
  for (const c of browser.contexts()) for (const p of c.pages()) console.error(await p.locator("main").ariaSnapshot().catch(String));
  console.error(e);
  process.exitCode = 1;
} finally {
  await browser.close();
  for (const p of running) p.kill("SIGINT");
}
