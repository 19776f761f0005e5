// Diffs: the next rows of a long one when its end comes into view, and keys from change to change.
"use strict";
(() => {
	const part = 2000;

	// fetched is a page as a document, in which no script runs; undefined when it cannot be had.
	const fetched = (address) => new Promise((done) => {
		const x = new XMLHttpRequest();
		x.open("GET", address);
		x.responseType = "document";
		x.onload = () => done(x.status === 200 ? x.response : undefined);
		x.onerror = () => done(undefined);
		x.send();
	});

	// A browser keeps what it worked out of every row that it once showed, a thousand times the text of it. So where the page has
	// more than so many rows, groups that are far from the screen are left empty, as high as they were, and fetched again when
	// they come near.
	const most = 10000;
	const place = new Map(); // of each group of which more can be fetched: the address, and its first row
	const near = new Set();

	const put = (groups, address, from) => {
		for (const b of groups) {
			place.set(b, { address, from });
			from += b.rows.length;
			far.observe(b);
		}
	};

	const held = (b) => b.contains(document.activeElement) || getSelection().containsNode(b, true);

	// leave empties what is far, once there is too much.
	const leave = () => {
		for (const b of place.keys()) if (!b.isConnected) place.delete(b); // a live page has another in its place
		if (document.querySelectorAll("table.diff tr").length <= most) return;
		const all = [...place.keys()].filter((b) => !near.has(b) && b.rows.length && !held(b));
		const heights = all.map((b) => b.getBoundingClientRect().height);
		all.forEach((b, i) => {
			b.style.blockSize = heights[i] + "px";
			b.style.containIntrinsicBlockSize = `auto ${heights[i]}px`; // for when its rows are back, and not yet shown
			b.dataset.rows = b.rows.length;
			b.dataset.hunks = b.querySelectorAll("tr.hunk").length;
			b.replaceChildren();
		});
	};

	// fill fetches the rows of groups again, of those that follow each other at once.
	const fill = async (groups) => {
		const empty = groups.filter((b) => b.dataset.rows && !b.ariaBusy && place.has(b)).sort((a, b) => place.get(a).from - place.get(b).from);
		for (const b of empty) b.ariaBusy = "true";
		for (let run; empty.length; await refill(run)) {
			run = empty.splice(0, 1);
			let n = Number(run[0].dataset.rows);
			while (empty[0] === run.at(-1).nextElementSibling && empty.length && n + Number(empty[0].dataset.rows) <= part) {
				n += Number(empty[0].dataset.rows);
				run.push(empty.shift());
			}
		}
	};

	const refill = async (run) => {
		const at = place.get(run[0]);
		if (!at) return;
		const { address, from } = at, u = new URL(address);
		u.searchParams.set("from", from);
		u.searchParams.set("n", run.reduce((n, b) => n + Number(b.dataset.rows), 0));
		const page = await fetched(u.href), rows = page ? [...page.querySelectorAll("tr")] : [], came = rows.length;
		for (const b of run) {
			const n = Number(b.dataset.rows);
			if (rows.length < n) { // a part has a bound, and a server may be away for a while
				if (came || !page) setTimeout(() => fill([...near]), 3000);
				break;
			}
			b.replaceChildren(...rows.splice(0, n).map((r) => document.adoptNode(r)));
			b.style.blockSize = "";
			delete b.dataset.rows;
			delete b.dataset.hunks;
		}
		for (const b of run) b.ariaBusy = null;
	};

	const far = new IntersectionObserver((all) => {
		for (const e of all) e.isIntersecting ? near.add(e.target) : near.delete(e.target);
		fill(all.filter((e) => e.isIntersecting).map((e) => e.target));
		leave();
	}, { rootMargin: "30000px 0px" });

	// more appends the rows that a link is about to the table before it, and takes the next link in its place.
	const more = async (p) => {
		if (p.getAttribute("aria-busy")) return;
		const link = p.querySelector("a"), table = p.parentElement.querySelector("table.diff");
		if (!link || !table) return;
		p.setAttribute("aria-busy", "true");
		const address = new URL(link.href), from = Number(address.searchParams.get("from"));
		address.searchParams.set("part", part);
		const page = await fetched(address.href);
		p.removeAttribute("aria-busy");
		if (!page) return; // the link is still there, for a second try
		const focus = p.contains(document.activeElement), first = [...table.tBodies].filter((b) => !place.has(b));
		const rows = [...page.querySelectorAll("tbody")].map((b) => document.adoptNode(b));
		table.append(...rows);
		put(first, address, from - first.reduce((n, b) => n + b.rows.length, 0));
		put(rows, address, from);
		const next = page.querySelector("p.more");
		const last = next && document.adoptNode(next);
		if (last) p.replaceWith(last);
		else p.remove();
		if (last) watch(last);
		if (focus) (last ? last.querySelector("a") : table.parentElement).focus();
	};

	const seen = new IntersectionObserver((all) => {
		for (const e of all) {
			if (!e.isIntersecting) continue;
			seen.unobserve(e.target);
			more(e.target).then(() => { if (e.target.isConnected) e.target.dataset.tried = "true"; });
		}
	}, { rootMargin: "1500px 0px" });
	const watch = (p) => { if (!p.dataset.tried) seen.observe(p); };
	const watchEnds = () => document.querySelectorAll(".diffbox p.more").forEach(watch);

	document.addEventListener("click", (e) => {
		const p = e.target.closest?.(".diffbox p.more");
		if (!p || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
		e.preventDefault();
		more(p);
	});

	// Selecting side by side stays on the side where it began.
	document.addEventListener("mousedown", (e) => {
		const table = e.target.closest?.("table.diff.split"), cell = e.target.closest?.("td");
		if (!table || !cell) return;
		table.dataset.side = cell.cellIndex < 3 ? "left" : "right";
	});

	// go moves to the next or the previous of what selector finds, from the focused one or from what is on the screen.
	const go = async (selector, step) => {
		const all = [...document.querySelectorAll(selector)];
		if (!all.length) return;
		const here = document.activeElement?.closest(selector);
		let to;
		if (here) to = all[all.indexOf(here) + step];
		else if (step > 0) to = all.find((r) => r.getBoundingClientRect().top > 60);
		else to = all.findLast((r) => r.getBoundingClientRect().top < 0);
		if (to?.dataset.rows) {
			const group = to;
			await fill([group]);
			for (let i = 0; group.dataset.rows && i < 300; i++) await new Promise(requestAnimationFrame); // it was coming already
			to = step > 0 ? group.querySelector("tr.hunk") : [...group.querySelectorAll("tr.hunk")].at(-1);
		}
		if (!to) return;
		to.tabIndex = -1;
		to.focus({ preventScroll: true });
		to.scrollIntoView({ block: "start" });
	};
	const hunks = 'table.diff tr.hunk, table.diff tbody[data-hunks]:not([data-hunks="0"])';
	const keys = {
		n: () => go(hunks, 1),
		p: () => go(hunks, -1),
		f: () => go(".diffbox", 1),
		F: () => go(".diffbox", -1),
	};
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || !keys[e.key]) return;
		if (e.target.closest?.("input, textarea, select, dialog, [contenteditable]")) return;
		e.preventDefault();
		keys[e.key]();
	});

	// A file can be folded away, when it was looked at.
	const foldable = () => {
		for (const bar of document.querySelectorAll(".filebar:not(:has(> .fold))")) {
			const fold = Object.assign(document.createElement("button"), { type: "button", className: "fold" });
			const show = (open) => {
				bar.parentElement.classList.toggle("folded", !open);
				fold.textContent = open ? "Hide" : "Show";
				fold.setAttribute("aria-expanded", open);
				fold.setAttribute("aria-label", fold.textContent + " " + bar.querySelector(".path").textContent);
			};
			fold.onclick = () => show(bar.parentElement.classList.contains("folded"));
			bar.append(fold);
			show(true);
		}
	};

	// Who chose a view once gets it on the next page.
	const other = (view) => document.querySelector(`.views a[href*="view=${view}"]`);
	const chosen = { get view() { try { return localStorage.getItem("emend-view"); } catch { return null; } },
		set view(v) { try { localStorage.setItem("emend-view", v); } catch { /* then it is not remembered */ } } };
	document.addEventListener("click", (e) => {
		const to = e.target.closest?.(".views a");
		if (to) chosen.view = new URL(to.href).searchParams.get("view");
	});
	if (chosen.view === "split" && !new URLSearchParams(location.search).has("view") && !location.pathname.includes("/do/")) {
		const split = other("split");
		if (split) location.replace(split.href + location.hash);
	}

	const watchAll = () => { watchEnds(); foldable(); };
	watchAll();
	new MutationObserver(watchAll).observe(document.body, { childList: true, subtree: true }); // a live page gets new diffs
})();
