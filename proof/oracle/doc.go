// Package oracle holds the codex dialect against Codex's own program: generated patches go to both, and every
// disagreement must have a name that docs/differences.md explains.
//
//	go -C proof test -tags oracle -v ./oracle
//
// The program comes from the npm registry, at the version and with the checksums of testdata/codex; when it
// cannot be had, the test skips and says why. It is only run, never read, without network and with an empty
// environment.
//
//	EMEND_NPM_DIR      where the program is kept   (default: emend-npm in the user's cache directory)
//	EMEND_ORACLE_N     how many patches           (default: 4000)
//	EMEND_ORACLE_SEED  which patches              (default: 1)
//	EMEND_ORACLE_SHOW  how many disagreements are cut down and shown (default: 5)
//	EMEND_ORACLE_CASE  a file with one case to try: the form in which the test prints a disagreement
package oracle
