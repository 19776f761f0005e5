package main

import (
	"crypto/sha256"
	"fmt"
)

// inHalf reports whether a module belongs to a half of the corpus: "tune", which the engine may be tuned to, "report", whose
// results are reported, or "all". The first bit of the SHA-256 of its name decides, and nobody.
func inHalf(half, module string) bool {
	tune := sha256.Sum256([]byte(module))[0]&1 == 0
	return half == "all" || tune == (half == "tune")
}

func checkHalf(half string) error {
	switch half {
	case "tune", "report", "all":
		return nil
	}
	return fmt.Errorf("-half: there is no %q, only tune, report and all", half)
}
