package find

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// TestListLevels: the names kept while a listing is made are the first ones of the sorted whole.
func TestListLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s := &listLevels{limit: 1 + r.IntN(40), levels: make([]listLevel, 2)}
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
			list = slices.DeleteFunc(list, func(f Found) bool { return s.tooFarBack(f.Depth, &guard.Name{Name: f.Name, Kind: f.Kind}) })
			if len(list) > 0 {
				s.add(list)
			}
		}
		slices.SortFunc(all, func(a, b Found) int {
			return cmp.Or(a.Depth-b.Depth, rank(a.Kind)-rank(b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
		})
		got, more := s.all()
		if want := all[:min(len(all), s.limit)]; !slices.Equal(got, want) || more != (len(all) > s.limit) {
			t.Fatalf("the first %d of %d: got %v, more %v, want %v", s.limit, len(all), got, more, want)
		}
	}
}

// someDirs returns directories of two levels, in the order of paths.
func someDirs(r *rand.Rand) (out []string) {
	for i := range 1 + r.IntN(200) {
		out = append(out, fmt.Sprintf("d%03d%s", i, []string{"", "/e"}[r.IntN(2)]))
	}
	return out
}
