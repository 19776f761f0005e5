package find

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
)

// dirItem is a name to handle or, with below, the directory of that name to enter.
type dirItem struct {
	guard.Name
	below bool
	key   uint64 // see prefixKey
}

func newDirItem(n *guard.Name, below bool) dirItem {
	i := dirItem{Name: *n, below: below}
	end := byte(0)
	if below {
		end = '/'
	}
	i.key = prefixKey(n.Name, end)
	return i
}

// prefixKey returns the first eight bytes of a name followed by end, as a number in the same order. Most names need no other
// comparison.
func prefixKey(name string, end byte) (key uint64) {
	if len(name) >= 8 {
		return binary.BigEndian.Uint64([]byte(name[:8]))
	}
	for at := range len(name) {
		key |= uint64(name[at]) << (56 - 8*at)
	}
	return key | uint64(end)<<(56-8*len(name))
}

// compareItems orders the names of a directory like the paths that begin with them: what is below "a" comes after "a-b",
// since a slash is greater than a hyphen.
func compareItems(a, b dirItem) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	x, y := a.Name.Name, b.Name.Name
	n := min(len(x), len(y))
	if c := strings.Compare(x[:n], y[:n]); c != 0 {
		return c
	}
	return int(a.byteAfter(n)) - int(b.byteAfter(n))
}

// byteAfter returns the byte that follows the first n of the name, 0 at its end.
func (i *dirItem) byteAfter(n int) byte {
	switch {
	case n < len(i.Name.Name):
		return i.Name.Name[n]
	case i.below:
		return '/'
	}
	return 0
}

// sortListed sorts the names of one level by kind and name. Equal names stay in the order in which they came, which is that
// of their paths.
func sortListed(list []Found) []Found {
	type place struct {
		rank int
		key  uint64
		at   int
	}
	places := make([]place, len(list))
	for i := range list {
		places[i] = place{rank(list[i].Kind), prefixKey(list[i].Name, 0), i}
	}
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.rank != b.rank:
			return a.rank - b.rank
		case a.key != b.key:
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(strings.Compare(list[a.at].Name, list[b.at].Name), a.at-b.at)
	})
	out := make([]Found, len(list))
	for i, p := range places {
		out[i] = list[p.at]
	}
	return out
}

func rank(k guard.Kind) int {
	switch k {
	case guard.Directory:
		return 0
	case guard.Regular:
		return 1
	case guard.Symlink:
		return 2
	}
	return 3
}
