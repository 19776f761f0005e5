// Package browser holds the pages of emend against a real browser: the program as it is shipped, agents that work through
// its server, and Debian's chromium, which is told what to do over its own protocol.
//
//	go -C proof test -v ./browser
//
// It is a module of its own, so that who uses emend as a library gets nothing of a browser. Chromium runs with an empty
// environment and a home of its own, and reaches nothing but loopback: every address that it asks for is looked at. What
// cannot be had, the browser or axe-core (from the npm registry, by checksum), is named and not run.
//
//	EMEND_CHROMIUM    the browser                                (default: chromium, by PATH)
//	EMEND_NPM_DIR     where what npm fetched is kept             (default: emend-npm in the user's cache directory)
//	EMEND_IMAGES      write: TestImages puts its pictures into docs/images
//	EMEND_ENTRIES     calls of the long log                      (default 100000)
//
// Times are printed and not judged, but for one: that a change is on an open page within a second of its acknowledgement.
package browser
