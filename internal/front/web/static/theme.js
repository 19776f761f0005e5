// Applies the chosen theme before the page is shown: light, dark, or that of the system.
"use strict";
(() => {
	const key = "emend-theme", themes = ["system", "light", "dark"];
	const chosen = () => { try { return themes.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : "system"; } catch { return "system"; } };
	const apply = (theme) => {
		document.getElementById("dark").media = { system: "(prefers-color-scheme: dark)", light: "not all", dark: "all" }[theme];
		document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
	};
	apply(chosen());
	document.addEventListener("DOMContentLoaded", () => {
		const button = document.getElementById("theme");
		if (!button) return;
		const name = () => { button.textContent = "Theme: " + chosen(); };
		button.hidden = false;
		name();
		button.onclick = () => {
			const next = themes[(themes.indexOf(chosen()) + 1) % themes.length];
			try { localStorage.setItem(key, next); } catch { /* not remembered then */ }
			apply(next);
			name();
		};
	});
})();
