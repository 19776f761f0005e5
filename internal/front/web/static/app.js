// Keeps an open page up to date, and adds keys. Every page can be read and used without it.
"use strict";

const $ = (selector, from = document) => from?.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

// --- times in words, the same as in format.go ---

const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function duration(seconds) {
  const [name, long] = units.find(([, long]) => seconds >= long) || ["second", 1];
  const n = Math.floor(seconds / long);
  return n + " " + name + (n === 1 ? "" : "s");
}

function ago(at, now) {
  const seconds = (now - at) / 1000;
  if (seconds < 0) return "in " + duration(-seconds);
  return seconds < 60 ? "just now" : duration(seconds) + " ago";
}

function reword(root) {
  for (const t of all("time[datetime]", root)) {
    const text = ago(Date.parse(t.dateTime), Date.now());
    if (t.textContent !== text) t.textContent = text;
  }
}

// Times change every half minute, and every second while a deadline is less than a minute away.
const anyDueSoon = () => all("time[datetime]").some((t) => Math.abs(Date.parse(t.dateTime) - Date.now()) < 60000 && t.textContent.startsWith("in "));
let ticks = 0;
setInterval(() => { if (!document.hidden && (++ticks % 30 === 0 || anyDueSoon())) reword(document); }, 1000);

// --- updates from the server ---

// fetchPage fetches an address as a document. Its scripts do not run.
function fetchPage(address) {
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

// comparable returns the HTML of an element without what differs each time the server makes it, and without what scripts and the
// person changed.
function comparable(element) {
  const copy = element.cloneNode(true);
  all("input[name=seal]", copy).forEach((i) => i.removeAttribute("value"));
  all("button.copy, button.fold, label.viewed", copy).forEach((b) => b.remove());
  for (const e of [copy, ...all("details[open], .new, [tabindex]", copy)]) {
    e.classList.remove("new");
    for (const name of ["open", "tabindex", ...(e.className ? [] : ["class"])]) e.removeAttribute(name);
  }
  return copy.outerHTML;
}

// copySeals gives the forms of an unchanged element the seals of the fresh one. A seal is good for an hour.
function copySeals(mine, fresh) {
  const seals = all("input[name=seal]", fresh);
  all("input[name=seal]", mine).forEach((i, n) => { if (seals[n]) i.value = seals[n].value; });
}

// update makes an element equal to the fresh one. A child with an id that is still there is updated in place, so that focus,
// selection and open details stay.
function update(mine, fresh) {
  if (mine.tagName !== fresh.tagName) return mine.replaceWith(document.importNode(fresh, true));
  const { same } = mine.dataset; // equal values mean equal elements, even if more rows have been fetched here
  if (same ? same === fresh.dataset.same : comparable(mine) === comparable(fresh)) return copySeals(mine, fresh);
  const known = new Map([...mine.children].filter((c) => c.id).map((c) => [c.id, c]));
  const upTo = (at, end) => { while (at !== end) { const next = at.nextSibling; at.remove(); at = next; } };
  let at = mine.firstChild;
  for (const child of [...fresh.childNodes]) {
    const kept = known.get(child.id);
    if (kept && kept.parentNode === mine && kept.tagName === child.tagName) {
      upTo(at, kept);
      at = kept.nextSibling;
      update(kept, child);
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
  if (!$("main [data-live]")) return;
  if (document.hidden || busy) { again = true; return; }
  busy = true; again = false;
  try {
    const fresh = await fetchPage(location.href);
    reword(fresh); reword(document);
    const calls = new Set(all("li.call").map((c) => c.id));
    const asked = all("article.question").length;
    const here = document.activeElement?.closest("main [id]:not(main)");
    for (const part of all("[data-live]", fresh)) {
      const mine = $(`[data-live="${CSS.escape(part.dataset.live)}"]`);
      if (mine) update(mine, part);
    }
    if (here && document.activeElement === document.body) focusItem(document.getElementById(here.id));
    announce(all("li.call").filter((c) => !calls.has(c.id) && calls.size).length, all("article.question").length - asked);
    updateTitle();
  } catch { /* the event stream reports when the server is back */ }
  setTimeout(() => { busy = false; if (again) refresh(); }, 300);
  refreshIfPending();
}

// refreshIfPending asks again for what the server was still counting.
function refreshIfPending() { if ($("[data-again]")) setTimeout(refresh, 1000); }

const title = document.title;

// updateTitle puts the number of calls that wait before the title, where it can be seen from another tab.
function updateTitle() {
  document.title = (waitingCount() ? `(${waitingCount()}) ` : "") + title;
}

// announce tells screen readers what is new.
function announce(calls, asked) {
  const words = [];
  if (calls > 0) words.push(calls === 1 ? "1 new call" : calls + " new calls");
  if (asked > 0) words.push(asked === 1 ? "1 call waits for you" : asked + " calls wait for you");
  if (!words.length) return;
  $("#said").textContent = ""; // so that the same words are announced again
  setTimeout(() => { $("#said").textContent = words.join(", "); }, 100);
}

// --- the event stream: one for all open pages of a workspace, since a browser opens only a few connections to a host ---

const live = $("#live");
let head = Number(live?.dataset.head), share = null, last = "";

function showState(s) {
  live.dataset.state = s;
  live.textContent = { live: "live", lost: "reconnecting" }[s];
}

function receive({ news, is }) {
  if (is) showState(is);
  if (!news || news === last) return;
  const now = JSON.parse(last = news), more = now.head !== head || now.waiting !== waitingCount();
  head = now.head;
  waitingCount(now.waiting);
  if (more) refresh();
}

// waitingCount returns how many calls wait for a person, as the header shows it. Given n, it shows n in the header and the title.
function waitingCount(n) {
  const link = $("header nav a[data-key=w]"), was = $(".count", link);
  if (n === undefined) return Number(was?.textContent.replace(/\D/g, "") || 0);
  if (n && was) was.textContent = `(${n})`;
  else if (n) link.append(" ", Object.assign(document.createElement("span"), { className: "count", textContent: `(${n})` }));
  else was?.remove();
  updateTitle();
}

function publish(what) { receive(what); share?.postMessage(what); }

function listen() {
  const stream = new EventSource(live.dataset.events);
  let is = "lost";
  stream.onopen = () => publish({ is: is = "live" });
  stream.addEventListener("news", (e) => publish({ news: e.data }));
  stream.onerror = () => {
    publish({ is: is = "lost" });
    if (stream.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
    setTimeout(listen, 3000);
    fetchPage($("header nav a").href).catch(() => {}); // if the browser is signed out by now, this reloads the page, which asks for the token
  };
  if (share) share.onmessage = (e) => (e.data.hello ? share.postMessage({ is, news: last }) : receive(e.data));
}

if (live) {
  if (navigator.locks && window.BroadcastChannel) {
    share = new BroadcastChannel(live.dataset.events);
    share.onmessage = (e) => { if (!e.data.hello) receive(e.data); };
    share.postMessage({ hello: true });
    navigator.locks.request(live.dataset.events, () => new Promise(listen));
  } else listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { reword(document); if (again) refresh(); } });
  refreshIfPending(); updateTitle();
}

// --- forms ---

// A second click does not send a form again. If the browser brings the page back from its cache, the form can be sent again.
function setSent(form, is) {
  form.dataset.sent = is ? "true" : "";
  form.setAttribute("aria-busy", is);
  for (const b of all("button", form)) b.setAttribute("aria-disabled", is);
}

document.addEventListener("submit", (e) => {
  if (e.target.method !== "post" || e.defaultPrevented) return;
  if (e.target.dataset.sent === "true") return e.preventDefault();
  setSent(e.target, true);
});
window.addEventListener("pageshow", (e) => { if (e.persisted) all("form[data-sent=true]").forEach((f) => setSent(f, false)); });

// --- hashes ---

// An opened hash gets a button that copies it.
document.addEventListener("toggle", (e) => {
  const hash = e.target;
  if (!hash.matches?.("details.hash[open]") || $(".copy", hash) || !navigator.clipboard) return;
  const copy = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  copy.onclick = () => navigator.clipboard.writeText($(":scope > code", hash).textContent)
    .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Not copied"; });
  hash.append(copy);
}, true);

// The patch of a change gets a button that copies it.
const patch = $("#patch");
if (patch && navigator.clipboard) {
  const copy = Object.assign(document.createElement("button"), { type: "button", className: "copy-patch", textContent: "Copy patch" });
  copy.onclick = async () => {
    try {
      const answer = await fetch(patch.href);
      if (!answer.ok) throw answer.status;
      await navigator.clipboard.writeText(await answer.text());
      copy.textContent = "Copied";
    } catch { copy.textContent = "Not copied"; }
  };
  const item = document.createElement("li");
  item.append(copy);
  patch.closest("ul").append(item);
}

// --- keys ---

// The focus goes to a question as a whole, not to its first button: Enter must not answer it.
const listItems = () => all("main ol > li:not(.day), main article.question").filter(itemTarget);
const itemTarget = (item) => (item.matches("article") ? item : $("a.open", item) || $("a[href], button", item));

function focusItem(item) {
  const t = item && (itemTarget(item) || item);
  if (!t) return;
  if (t === item) t.tabIndex = -1;
  t.focus();
  t.scrollIntoView({ block: "nearest" });
}

function moveFocus(by) {
  const list = listItems(), at = list.findIndex((i) => i.contains(document.activeElement));
  focusItem(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)]);
}

function focusSearch() {
  const field = $("main input[type=search]");
  if (field) { field.focus(); field.select(); } else location.href = $("header nav a[data-key=t]").href + "#q";
}

const keys = {
  j: () => moveFocus(1), k: () => moveFocus(-1),
  o: () => { const i = listItems().find((i) => i.contains(document.activeElement)); if (i) itemTarget(i).click(); },
  u: () => $('a[href*="/confirm/undo"]', listItems().find((i) => i.contains(document.activeElement)) ?? $("main > .page"))?.click(),
  "/": focusSearch,
  "?": () => $("#keys").showModal(),
};
let goPressed = 0;

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented || $("dialog[open]")) return;
  if (e.target.closest("input, textarea, select, [contenteditable]")) { if (e.key === "Escape") e.target.blur(); return; }
  const went = Date.now() - goPressed < 1500, to = went && $(`header nav a[data-key="${CSS.escape(e.key)}"]`);
  goPressed = e.key === "g" ? Date.now() : 0;
  if (to) { e.preventDefault(); to.click(); } else if (!went && keys[e.key]) { e.preventDefault(); keys[e.key](); }
});

const help = $("#help");
if (help) { help.hidden = false; help.onclick = keys["?"]; }
if (location.hash === "#q") focusSearch();

// The message of what was done gets the focus, and not the link in it: Enter must not undo it.
const done = $(".flash");
if (done) { done.tabIndex = -1; done.focus(); }
