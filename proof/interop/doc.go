// Package interop tests the server with the protocol's own programs: the official conformance suite, the inspector's command
// line, and both generations of the official TypeScript client.
//
//	go -C proof test -tags npm -v ./interop
//
// The programs come from the npm registry, with the versions and checksums in testdata; the tests of a missing one are
// skipped and say so. They are run and never read, with an empty environment and a home directory of their own, and reach
// nothing but loopback.
//
//	EMEND_NPM_DIR           where the programs are kept   (default: emend-npm in the user's cache directory)
//	EMEND_CONFORMANCE_DOC   write: write the tables of docs/conformance.md instead of comparing them
package interop
