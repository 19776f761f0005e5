package find

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// TestShelves: what is kept while a listing is made is what is first when all of it is put in order.
func TestShelves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s := &shelves{most: 1 + r.IntN(40), levels: make([]shelf, 2)}
		var all []Found
		for _, dir := range someDirs(r) {
			list := make([]Found, 1+r.IntN(20))
			for i := range list {
				name := fmt.Sprintf("%.*s%d", r.IntN(10), "commonname", r.IntN(30))
				list[i] = Found{Path: join(dir, name), Name: name, Kind: guard.Kind(r.IntN(5)), Depth: 1 + strings.Count(dir, "/")}
			}
			slices.SortFunc(list, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
			list = slices.CompactFunc(list, func(a, b Found) bool { return a.Path == b.Path })
			all = append(all, list...)
			s.put(list)
		}
		slices.SortFunc(all, func(a, b Found) int {
			if a.Depth != b.Depth {
				return a.Depth - b.Depth
			}
			return byKind(&a, &b)
		})
		got, more := s.all()
		if want := all[:min(len(all), s.most)]; !slices.Equal(got, want) || more != (len(all) > s.most) {
			t.Fatalf("the first %d of %d: got %v, more %v, want %v", s.most, len(all), got, more, want)
		}
	}
}

// someDirs are directories of two levels, in the order of paths.
func someDirs(r *rand.Rand) (out []string) {
	for i := range 1 + r.IntN(200) {
		out = append(out, fmt.Sprintf("d%03d%s", i, []string{"", "/e"}[r.IntN(2)]))
	}
	return out
}
