// Package interop holds the server against programs that others wrote for the protocol: the official conformance suite, the
// inspector's command line, and the official clients for TypeScript, of both generations.
//
//	go -C proof test -tags npm -v ./interop
//
// The programs come from the npm registry, at the versions and with the checksums of testdata; what cannot be had is named
// and not run. They are run, never read, with an empty environment and a home directory of their own, and reach nothing but
// loopback.
//
//	EMEND_NPM_DIR           where the programs are kept   (default: emend-npm in the user's cache directory)
//	EMEND_CONFORMANCE_DOC   write: have the test write the tables of docs/conformance.md instead of comparing them
package interop
