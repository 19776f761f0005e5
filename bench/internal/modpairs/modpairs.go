// Package modpairs turns consecutive versions of real modules into pairs of files, before and after.
//
// It downloads Go modules with the go command and npm packages with npm, from wherever those are configured to download. It
// accepts nothing without the checksum in the list. It runs nothing that it fetched.
package modpairs

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// Version is one version of a module or package with its checksum, in the form of a go.sum line or of the npm registry.
type Version struct {
	Module, Version, Sum string
}

// published reports whether v is an npm package, which may contain generated files beside its sources.
func (v Version) published() bool { return strings.HasPrefix(v.Sum, "sha512-") }

func (v Version) String() string { return v.Module + "@" + v.Version }

// ReadList reads lines of "module version checksum". Lines that begin with # are comments. Versions of one module follow each
// other, oldest first.
func ReadList(r io.Reader) ([]Version, error) {
	var list []Version
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || !strings.HasPrefix(f[2], "h1:") && !strings.HasPrefix(f[2], "sha512-") {
			return nil, fmt.Errorf("line %d: want module, version and h1: or sha512- checksum, have %q", n, line)
		}
		list = append(list, Version{f[0], f[1], f[2]})
	}
	return list, lines.Err()
}

// Sample selects n of items, always the same ones for a seed, and keeps their order.
func Sample[T any](items []T, n int, seed uint64) []T {
	if n <= 0 || n >= len(items) {
		return items
	}
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(len(items))[:n]
	slices.Sort(chosen)
	return pick(items, chosen)
}

// pick returns the items at these places.
func pick[T any](items []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = items[at]
	}
	return out
}
