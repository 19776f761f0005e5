// Package modpairs turns consecutive versions of real modules into pairs of files, before and after.
//
// It downloads with the go command, from wherever that is set up to download, and believes no byte whose checksum
// is not the one in the list.
package modpairs

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// Version is one version of one module and the checksum it must have, as a go.sum line has it.
type Version struct {
	Module, Version, Sum string
}

func (v Version) String() string { return v.Module + "@" + v.Version }

// ReadList reads lines of "module version checksum". Lines that begin with # are remarks. Versions of one module
// stand together, oldest first.
func ReadList(r io.Reader) ([]Version, error) {
	var list []Version
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || !strings.HasPrefix(f[2], "h1:") {
			return nil, fmt.Errorf("line %d: want module, version and h1: checksum, have %q", n, line)
		}
		list = append(list, Version{f[0], f[1], f[2]})
	}
	return list, lines.Err()
}

// Sample picks n of items, the same ones for the same seed, and keeps their order.
func Sample[T any](items []T, n int, seed uint64) []T {
	if n <= 0 || n >= len(items) {
		return items
	}
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(len(items))[:n]
	slices.Sort(chosen)
	out := make([]T, n)
	for i, c := range chosen {
		out[i] = items[c]
	}
	return out
}
