// What makes an open page comfortable: it stays up to date, and it heeds keys. Without it every page can be read and used.
"use strict";

const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

// --- times in words, as the server words them ---

const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function lasting(seconds) {
  const [name, long] = units.find(([, long]) => seconds >= long) || ["second", 1];
  const n = Math.floor(seconds / long);
  return n + " " + name + (n === 1 ? "" : "s");
}

function ago(at, now) {
  const seconds = (now - at) / 1000;
  if (seconds < 0) return "in " + lasting(-seconds);
  return seconds < 60 ? "just now" : lasting(seconds) + " ago";
}

function reword(root) {
  for (const t of all("time[datetime]", root)) {
    const text = ago(Date.parse(t.dateTime), Date.now());
    if (t.textContent !== text) t.textContent = text;
  }
}

// Every half minute is enough, but for what will be in less than a minute.
const soon = () => all("time[datetime]").some((t) => Math.abs(Date.parse(t.dateTime) - Date.now()) < 60000 && t.textContent.startsWith("in "));
let ticks = 0;
setInterval(() => { if (!document.hidden && (++ticks % 30 === 0 || soon())) reword(document); }, 1000);

// --- what the server has now ---

// page fetches an address as a document of its own; nothing in it runs.
function page(address) {
  return new Promise((done, failed) => {
    const r = new XMLHttpRequest();
    r.open("GET", address);
    r.responseType = "document";
    r.timeout = 20000;
    r.onload = () => (r.status === 401 ? location.reload() : r.status < 500 && r.response ? done(r.response) : failed(r.status));
    r.onerror = r.ontimeout = () => failed(0);
    r.send();
  });
}

// plain is what an element says, without what differs from one making of it to the next.
function plain(element) {
  const copy = element.cloneNode(true);
  all("input[name=seal]", copy).forEach((i) => i.removeAttribute("value"));
  all("button.copy, button.fold", copy).forEach((b) => b.remove());
  for (const e of [copy, ...all("details[open], .new, [tabindex]", copy)]) {
    e.classList.remove("new");
    for (const name of ["open", "tabindex", ...(e.className ? [] : ["class"])]) e.removeAttribute(name);
  }
  return copy.outerHTML;
}

// reseal gives the forms of an element that stays the seals of the one that came: they are good for an hour.
function reseal(mine, fresh) {
  const seals = all("input[name=seal]", fresh);
  all("input[name=seal]", mine).forEach((i, n) => { if (seals[n]) i.value = seals[n].value; });
}

// renew makes an element what the server says it is. What has an id and is still there is kept and renewed in its place:
// what has the focus, is selected or open stays so.
function renew(mine, fresh) {
  if (mine.tagName !== fresh.tagName) return mine.replaceWith(document.importNode(fresh, true));
  const { same } = mine.dataset; // what says that it is the same is, also when more of it has been fetched
  if (same ? same === fresh.dataset.same : plain(mine) === plain(fresh)) return reseal(mine, fresh);
  const known = new Map([...mine.children].filter((c) => c.id).map((c) => [c.id, c]));
  const upTo = (at, end) => { while (at !== end) { const next = at.nextSibling; at.remove(); at = next; } };
  let at = mine.firstChild;
  for (const child of [...fresh.childNodes]) {
    const kept = known.get(child.id);
    if (kept && kept.parentNode === mine && kept.tagName === child.tagName) {
      upTo(at, kept);
      at = kept.nextSibling;
      renew(kept, child);
    } else {
      if (child.nodeType === 1 && child.matches(".call") && known.size) child.classList.add("new");
      mine.insertBefore(document.importNode(child, true), at);
    }
  }
  upTo(at, null);
  for (const { name } of [...mine.attributes]) if (name !== "open" && name !== "tabindex" && !fresh.hasAttribute(name)) mine.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes]) mine.setAttribute(name, value);
}

let busy = false, again = false;

async function refresh() {
  if (!$("[data-live]:not(nav)")) return;
  if (document.hidden || busy) { again = true; return; }
  busy = true; again = false;
  try {
    const fresh = await page(location.href);
    reword(fresh); reword(document);
    const calls = new Set(all("li.call").map((c) => c.id));
    const asked = all("article.question").length;
    const here = document.activeElement?.closest("main [id]:not(main)");
    for (const part of all("[data-live]", fresh)) {
      const mine = $(`[data-live="${CSS.escape(part.dataset.live)}"]`);
      if (mine) renew(mine, part);
    }
    if (here && document.activeElement === document.body) focus(document.getElementById(here.id));
    tell(all("li.call").filter((c) => !calls.has(c.id) && calls.size).length, all("article.question").length - asked);
    count();
  } catch { /* the stream says when the server is back */ }
  setTimeout(() => { busy = false; if (again) refresh(); }, 300);
  settle();
}

// settle asks once more for what the server was still counting.
function settle() { if ($("[data-again]")) setTimeout(refresh, 1000); }

const title = document.title;

// count puts the number of calls that wait before the title, where it is seen also when another page is in front.
function count() {
  document.title = (waits() ? `(${waits()}) ` : "") + title;
}

// tell says it to who does not see it, in few words.
function tell(calls, asked) {
  const words = [];
  if (calls > 0) words.push(calls === 1 ? "1 new call" : calls + " new calls");
  if (asked > 0) words.push(asked === 1 ? "1 call waits for you" : asked + " calls wait for you");
  if (!words.length) return;
  $("#said").textContent = ""; // what is said twice is heard twice
  setTimeout(() => { $("#said").textContent = words.join(", "); }, 100);
}

// --- the stream: one for all open pages of a workspace, since a browser opens only a few to one host ---

const live = $("#live");
let head = Number(live?.dataset.head), share = null, last = "";

function state(s) {
  live.dataset.state = s;
  live.textContent = { live: "live", lost: "reconnecting" }[s];
}

function hear({ news, is }) {
  if (is) state(is);
  if (!news || news === last) return;
  const now = JSON.parse(last = news), more = now.head !== head || now.waiting !== waits();
  head = now.head;
  waits(now.waiting);
  if (more) refresh();
}

// waits is how many calls wait for a person: in the header of every page, and in its title. With n it shows so many.
function waits(n) {
  const link = $("header nav a[data-key=w]"), was = $(".count", link);
  if (n === undefined) return Number(was?.textContent.replace(/\D/g, "") || 0);
  if (n && was) was.textContent = `(${n})`;
  else if (n) link.append(" ", Object.assign(document.createElement("span"), { className: "count", textContent: `(${n})` }));
  else was?.remove();
  count();
}

function say(what) { hear(what); share?.postMessage(what); }

function listen() {
  const stream = new EventSource(live.dataset.events);
  let is = "lost";
  stream.onopen = () => say({ is: is = "live" });
  stream.addEventListener("news", (e) => say({ news: e.data }));
  stream.onerror = () => {
    say({ is: is = "lost" });
    if (stream.readyState !== EventSource.CLOSED) return; // it tries again by itself
    setTimeout(listen, 3000);
    page($("header nav a").href).catch(() => {}); // who is not let in any more is asked to come in again
  };
  if (share) share.onmessage = (e) => (e.data.hello ? share.postMessage({ is, news: last }) : hear(e.data));
}

if (live) {
  if (navigator.locks && window.BroadcastChannel) {
    share = new BroadcastChannel(live.dataset.events);
    share.onmessage = (e) => { if (!e.data.hello) hear(e.data); };
    share.postMessage({ hello: true });
    navigator.locks.request(live.dataset.events, () => new Promise(listen));
  } else listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { reword(document); if (again) refresh(); } });
  settle(); count();
}

// --- forms ---

// What is sent is not sent again by a second click. A page that the browser brings back from memory can be sent again.
function sent(form, is) {
  form.dataset.sent = is ? "true" : "";
  form.setAttribute("aria-busy", is);
  for (const b of all("button", form)) b.setAttribute("aria-disabled", is);
}

document.addEventListener("submit", (e) => {
  if (e.target.method !== "post" || e.defaultPrevented) return;
  if (e.target.dataset.sent === "true") return e.preventDefault();
  sent(e.target, true);
});
window.addEventListener("pageshow", (e) => { if (e.persisted) all("form[data-sent=true]").forEach((f) => sent(f, false)); });

// --- hashes ---

// A hash that is opened can be copied.
document.addEventListener("toggle", (e) => {
  const hash = e.target;
  if (!hash.matches?.("details.hash[open]") || $(".copy", hash) || !navigator.clipboard) return;
  const copy = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  copy.onclick = () => navigator.clipboard.writeText($(":scope > code", hash).textContent)
    .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Not copied"; });
  hash.append(copy);
}, true);

// --- keys ---

// A question is gone to as a whole, and not to its first button: Enter must not answer it.
const items = () => all("main ol > li, main article.question").filter(target);
const target = (item) => (item.matches("article") ? item : $("a.open", item) || $("a[href], button", item));

function focus(item) {
  const t = item && (target(item) || item);
  if (!t) return;
  if (t === item) t.tabIndex = -1;
  t.focus();
  t.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const list = items(), at = list.findIndex((i) => i.contains(document.activeElement));
  focus(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)]);
}

function find() {
  const field = $("main input[type=search]");
  if (field) { field.focus(); field.select(); } else location.href = $("header nav a[data-key=t]").href + "#q";
}

const keys = {
  j: () => move(1), k: () => move(-1),
  o: () => { const i = items().find((i) => i.contains(document.activeElement)); if (i) target(i).click(); },
  u: () => $('main a[data-key="u"], main a[href*="/confirm/undo"]')?.click(),
  "/": find,
  "?": () => $("#keys").showModal(),
};
let going = 0;

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented || $("dialog[open]")) return;
  if (e.target.closest("input, textarea, select, [contenteditable]")) { if (e.key === "Escape") e.target.blur(); return; }
  const went = Date.now() - going < 1500, to = went && $(`header nav a[data-key="${CSS.escape(e.key)}"]`);
  going = e.key === "g" ? Date.now() : 0;
  if (to) { e.preventDefault(); to.click(); } else if (!went && keys[e.key]) { e.preventDefault(); keys[e.key](); }
});

const help = $("#help");
if (help) { help.hidden = false; help.onclick = keys["?"]; }
if (location.hash === "#q") find();

// What was done is said where the focus is. It is the words that have it, and not the link in them: Enter must not take it back.
const done = $(".flash");
if (done) { done.tabIndex = -1; done.focus(); }
