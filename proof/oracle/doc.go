// Package oracle compares the codex dialect with Codex's own program. Both get generated patches, and a rule of
// docs/differences.md must explain every disagreement.
//
//	go -C proof test -tags oracle -v ./oracle
//
// The program comes from the npm registry, with the version and checksums in testdata/codex. If it cannot be fetched, the
// test is skipped with the reason. The program is run and never read, without network and with an empty environment.
//
//	EMEND_NPM_DIR      where the program is kept   (default: emend-npm in the user's cache directory)
//	EMEND_ORACLE_N     number of patches           (default: 4000)
//	EMEND_ORACLE_SEED  which patches               (default: 1)
//	EMEND_ORACLE_SHOW  how many disagreements are shrunk and shown (default: 5)
//	EMEND_ORACLE_CASE  a file with one case to try, in the form in which the test prints a disagreement
package oracle
