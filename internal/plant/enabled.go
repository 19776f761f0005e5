//go:build planted

package plant

import "os"

var planted = Bug(os.Getenv("EMEND_PLANT"))

// Enabled reports whether the program has the bug.
func Enabled(b Bug) bool { return planted == b }
