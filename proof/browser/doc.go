// Package browser tests emend's pages in a real browser: the program as it is shipped, agents that work through its server,
// and Debian's chromium, controlled over its own protocol.
//
//	go -C proof test -v ./browser
//
// Chromium runs with an empty environment and a home of its own. Every address that it requests is checked: it may reach
// nothing but loopback. If the browser or axe-core (from the npm registry, by checksum) is missing, the tests that need it
// are skipped and say so.
//
//	EMEND_CHROMIUM    the browser                                (default: chromium, by PATH)
//	EMEND_NPM_DIR     where npm packages are kept                (default: emend-npm in the user's cache directory)
//	EMEND_IMAGES      write: TestImages writes its pictures to docs/images
//	EMEND_ENTRIES     calls of the long log                      (default 100000)
//
// Times are printed and not judged, with one exception: an open page must show a change within a second of its
// acknowledgement.
package browser
