//go:build planted

package plant

import "os"

var planted = Bug(os.Getenv("EMEND_PLANT"))

// Is reports whether the program has the bug.
func Is(b Bug) bool { return planted == b }
