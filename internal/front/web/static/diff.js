// Diffs: fetches the next rows of a long one when its end comes into view, and adds keys that go from change to change.
"use strict";
(() => {
	const maxPart = 2000;

	// fetchPage fetches an address as a document. Its scripts do not run. It returns undefined if that fails.
	const fetchPage = (address) => new Promise((done) => {
		const x = new XMLHttpRequest();
		x.open("GET", address);
		x.responseType = "document";
		x.onload = () => done(x.status === 200 ? x.response : undefined);
		x.onerror = () => done(undefined);
		x.send();
	});

	// A browser keeps the layout of every row that it has shown, in a thousand times the memory of its text. So when the page has
	// more rows than this, groups far from the screen are emptied at their height, and fetched again when they come near.
	const maxRows = 10000;
	const sources = new Map(); // from groups that can be fetched again to their address and the number of their first row
	const nearGroups = new Set();

	const register = (groups, address, from) => {
		for (const b of groups) {
			sources.set(b, { address, from });
			from += b.rows.length;
			nearObserver.observe(b);
		}
	};

	const inUse = (b) => b.contains(document.activeElement) || getSelection().containsNode(b, true);

	// emptyFar empties groups that are far from the screen, if there are too many rows.
	const emptyFar = () => {
		for (const b of sources.keys()) if (!b.isConnected) sources.delete(b); // an update of the page replaced it
		if (document.querySelectorAll("table.diff tr").length <= maxRows) return;
		const all = [...sources.keys()].filter((b) => !nearGroups.has(b) && b.rows.length && !inUse(b));
		const heights = all.map((b) => b.getBoundingClientRect().height);
		all.forEach((b, i) => {
			b.style.blockSize = heights[i] + "px";
			b.style.containIntrinsicBlockSize = `auto ${heights[i]}px`; // for when its rows are back and not laid out yet
			b.dataset.rows = b.rows.length;
			b.dataset.hunks = b.querySelectorAll("tr.hunk").length;
			b.replaceChildren();
		});
	};

	// refill fetches the rows of empty groups again, with one request for groups that follow each other.
	const refill = async (groups) => {
		const empty = groups.filter((b) => b.dataset.rows && !b.ariaBusy && sources.has(b)).sort((a, b) => sources.get(a).from - sources.get(b).from);
		for (const b of empty) b.ariaBusy = "true";
		for (let run; empty.length; await fetchRun(run)) {
			run = empty.splice(0, 1);
			let n = Number(run[0].dataset.rows);
			while (empty[0] === run.at(-1).nextElementSibling && empty.length && n + Number(empty[0].dataset.rows) <= maxPart) {
				n += Number(empty[0].dataset.rows);
				run.push(empty.shift());
			}
		}
	};

	const fetchRun = async (run) => {
		const at = sources.get(run[0]);
		if (!at) return;
		const { address, from } = at, u = new URL(address);
		u.searchParams.set("from", from);
		u.searchParams.set("n", run.reduce((n, b) => n + Number(b.dataset.rows), 0));
		const page = await fetchPage(u.href), rows = page ? [...page.querySelectorAll("tr")] : [], came = rows.length;
		for (const b of run) {
			const n = Number(b.dataset.rows);
			if (rows.length < n) { // an answer may be shorter than asked, or the server away for a while
				if (came || !page) setTimeout(() => refill([...nearGroups]), 3000);
				break;
			}
			b.replaceChildren(...rows.splice(0, n).map((r) => document.adoptNode(r)));
			b.style.blockSize = "";
			delete b.dataset.rows;
			delete b.dataset.hunks;
		}
		for (const b of run) b.ariaBusy = null;
	};

	const nearObserver = new IntersectionObserver((all) => {
		for (const e of all) e.isIntersecting ? nearGroups.add(e.target) : nearGroups.delete(e.target);
		refill(all.filter((e) => e.isIntersecting).map((e) => e.target));
		emptyFar();
	}, { rootMargin: "30000px 0px" });

	// loadMore appends the rows that a link leads to, and replaces the link by the next one.
	const loadMore = async (p) => {
		if (p.getAttribute("aria-busy")) return;
		const link = p.querySelector("a"), table = p.parentElement.querySelector("table.diff");
		if (!link || !table) return;
		p.setAttribute("aria-busy", "true");
		const address = new URL(link.href), from = Number(address.searchParams.get("from"));
		address.searchParams.set("part", maxPart);
		const page = await fetchPage(address.href);
		p.removeAttribute("aria-busy");
		if (!page) return; // the link stays, for another try
		const focus = p.contains(document.activeElement), first = [...table.tBodies].filter((b) => !sources.has(b));
		const rows = [...page.querySelectorAll("tbody")].map((b) => document.adoptNode(b));
		table.append(...rows);
		register(first, address, from - first.reduce((n, b) => n + b.rows.length, 0));
		register(rows, address, from);
		const next = page.querySelector("p.more");
		const last = next && document.adoptNode(next);
		if (last) p.replaceWith(last);
		else p.remove();
		if (last) observeEnd(last);
		if (focus) (last ? last.querySelector("a") : table.parentElement).focus();
	};

	const endObserver = new IntersectionObserver((all) => {
		for (const e of all) {
			if (!e.isIntersecting) continue;
			endObserver.unobserve(e.target);
			loadMore(e.target).then(() => { if (e.target.isConnected) e.target.dataset.tried = "true"; });
		}
	}, { rootMargin: "1500px 0px" });
	const observeEnd = (p) => { if (!p.dataset.tried) endObserver.observe(p); };
	const observeEnds = () => document.querySelectorAll(".diffbox p.more").forEach(observeEnd);

	document.addEventListener("click", (e) => {
		const p = e.target.closest?.(".diffbox p.more");
		if (!p || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
		e.preventDefault();
		loadMore(p);
	});

	// A selection in the split view stays on the side where it began.
	document.addEventListener("mousedown", (e) => {
		const table = e.target.closest?.("table.diff.split"), cell = e.target.closest?.("td");
		if (!table || !cell) return;
		table.dataset.side = cell.cellIndex < 3 ? "left" : "right";
	});

	// goTo moves the focus to the next or the previous element of a selector, from the focused one or from the screen.
	const goTo = async (selector, step) => {
		const all = [...document.querySelectorAll(selector)];
		if (!all.length) return;
		const here = document.activeElement?.closest(selector);
		let to;
		if (here) to = all[all.indexOf(here) + step];
		else if (step > 0) to = all.find((r) => r.getBoundingClientRect().top > 60);
		else to = all.findLast((r) => r.getBoundingClientRect().top < 0);
		if (to?.dataset.rows) {
			const group = to;
			await refill([group]);
			for (let i = 0; group.dataset.rows && i < 300; i++) await new Promise(requestAnimationFrame); // another refill is fetching it
			to = step > 0 ? group.querySelector("tr.hunk") : [...group.querySelectorAll("tr.hunk")].at(-1);
		}
		if (!to) return;
		to.tabIndex = -1;
		to.focus({ preventScroll: true });
		to.scrollIntoView({ block: "start" });
	};
	const hunks = 'table.diff tr.hunk, table.diff tbody[data-hunks]:not([data-hunks="0"])';
	const keys = {
		n: () => goTo(hunks, 1),
		p: () => goTo(hunks, -1),
		f: () => goTo(".diffbox", 1),
		F: () => goTo(".diffbox", -1),
	};
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || !keys[e.key]) return;
		if (e.target.closest?.("input, textarea, select, dialog, [contenteditable]")) return;
		e.preventDefault();
		keys[e.key]();
	});

	// Each file gets a button that folds it.
	const addFoldButtons = () => {
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

	// A click on the number of a line makes the address of the page lead to it.
	document.addEventListener("click", (e) => {
		const cell = e.target.closest?.("td.num[data-n]"), row = cell?.closest("tr[id]");
		if (row && !String(getSelection())) location.hash = row.id;
	});

	// goToLine shows the line that the address leads to, also if its rows are not loaded yet.
	const goToLine = async () => {
		const at = location.hash.match(/^#(f\d+)[LR]\d+$/);
		if (!at) return;
		const box = document.querySelector(`[id^="${at[1]}R"], [id^="${at[1]}L"]`)?.closest(".diffbox");
		for (let p; box && !document.getElementById(location.hash.slice(1)) && (p = box.querySelector("p.more:not([data-tried])")); ) {
			const table = box.querySelector("table.diff"), n = table.rows.length;
			await loadMore(p);
			if (table.rows.length === n) return;
		}
		document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
	};
	goToLine();

	// Each file of a page with several gets a mark for those that were viewed. The browser keeps it by the file and its content.
	const addViewedMarks = () => {
		const files = document.querySelectorAll("section.file[data-after]");
		if (files.length < 2) return;
		for (const file of files) {
			const bar = file.querySelector(".filebar:not(:has(> .viewed))"), fold = bar?.querySelector(".fold");
			if (!fold || !file.dataset.path) continue;
			const key = `emend-viewed ${location.pathname.replace(/^.*~[^/]*/, "")} ${file.dataset.path} ${file.dataset.after}`;
			const label = Object.assign(document.createElement("label"), { className: "viewed" });
			const box = Object.assign(document.createElement("input"), { type: "checkbox" });
			const name = document.createElement("span");
			name.textContent = "Viewed";
			box.setAttribute("aria-label", "Viewed " + file.dataset.path);
			try { box.checked = localStorage.getItem(key) === "yes"; } catch { /* not remembered then */ }
			const folded = () => file.querySelector(".diffbox").classList.contains("folded");
			if (box.checked && !folded()) fold.click();
			box.onchange = () => {
				try { box.checked ? localStorage.setItem(key, "yes") : localStorage.removeItem(key); } catch { /* as above */ }
				if (box.checked !== folded()) fold.click();
			};
			label.append(box, name);
			bar.append(label);
		}
	};

	// The chosen view, split or unified, is kept for the next page.
	const viewLink = (view) => document.querySelector(`.views a[href*="view=${view}"]`);
	const savedView = { get view() { try { return localStorage.getItem("emend-view"); } catch { return null; } },
		set view(v) { try { localStorage.setItem("emend-view", v); } catch { /* not remembered then */ } } };
	document.addEventListener("click", (e) => {
		const to = e.target.closest?.(".views a");
		if (to) savedView.view = new URL(to.href).searchParams.get("view");
	});
	if (savedView.view === "split" && !new URLSearchParams(location.search).has("view") && !location.pathname.includes("/do/")) {
		const split = viewLink("split");
		if (split) location.replace(split.href + location.hash);
	}

	const observeAll = () => { observeEnds(); addFoldButtons(); addViewedMarks(); };
	observeAll();
	new MutationObserver(observeAll).observe(document.body, { childList: true, subtree: true }); // updates bring new diffs
})();
