package fail

import (
	"cmp"
	"slices"
	"strings"
)

// Alike returns at most three of names that somebody who wrote name may have meant, the likeliest first. It ignores
// case and underscores.
func Alike(name string, names []string) []string {
	type near struct {
		name string
		far  int
	}
	var all []near
	name = plain(name)
	most := min(2, len(name)/3)
	for _, n := range names {
		if far := distance(name, plain(n), most); far <= most {
			all = append(all, near{n, far})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var out []string
	for _, n := range all[:min(len(all), 3)] {
		out = append(out, n.name)
	}
	return out
}

func plain(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

// distance counts how many letters to insert, remove, change or swap with their neighbour to turn a into b. It returns
// most+1 for any distance above most.
func distance(a, b string, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(one[j]+change, one[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
		two, one, row = one, row, two
	}
	return min(one[len(b)], most+1)
}
