// The token comes in the fragment of the address, which no browser sends. It is exchanged for a cookie that no script reads,
// and taken out of the address, so that neither the history nor a bookmark keeps it.
"use strict";
(() => {
	const form = document.getElementById("login");
	const token = new URLSearchParams(location.hash.slice(1)).get("token");
	if (!form || !token) return;
	history.replaceState(null, "", location.pathname + location.search);
	form.elements.token.value = token;
	form.submit();
})();
