// Package windows proves emend, the program, on Windows: in wine (go -C proof run ./wine), or on a real one (windows-proof.ps1). The
// test binary is the program as well. Where this version writes nothing, and on other systems, the tests say NOT RUN; to try the tests
// themselves elsewhere, set EMEND_WINDOWS_ANYWHERE.
//
//	EMEND_WINDOWS_KILLS     processes that are killed (default 12)
//	EMEND_WINDOWS_WRITING   how long writers change one file (default 4s)
package windows
