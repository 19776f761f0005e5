// Package shrink makes a failing input small. It knows nothing of what the input is.
package shrink

import "slices"

// Slice returns a part of items, in their order, for which bad still holds and from which no single run of items
// can be taken away without bad ceasing to hold. bad must hold for items. It is called at most budget times.
func Slice[T any](items []T, budget int, bad func([]T) bool) []T {
	for size := max(len(items)/2, 1); size > 0; {
		shorter, cut := items, false
		for at := 0; at < len(shorter) && budget > 0; {
			try := slices.Concat(shorter[:at], shorter[min(at+size, len(shorter)):])
			budget--
			if bad(try) {
				shorter, cut = try, true
			} else {
				at += size
			}
		}
		items = shorter
		if size = min(size, len(items)); !cut || budget == 0 {
			size /= 2
		}
	}
	return items
}
