// The token is in the fragment of the address, which browsers do not send. This exchanges it for a cookie that scripts cannot read,
// and removes it from the address, so that neither history nor bookmarks keep it.
"use strict";
(() => {
	const form = document.getElementById("login");
	const token = new URLSearchParams(location.hash.slice(1)).get("token");
	if (!form || !token) return;
	history.replaceState(null, "", location.pathname + location.search);
	form.elements.token.value = token;
	form.submit();
})();
