package replace

import "strings"

// occurrences counts the places of old in hay, including those that overlap. It returns at least the first most of them,
// and whether all places are apart. Its time is linear in both texts.
func occurrences(hay, old string, most int) (at []int, total int, apart bool) {
	last := -len(old)
	for from := 0; ; {
		i := strings.Index(hay[from:], old)
		if i < 0 {
			return at, total, true
		}
		if i += from; i < last+len(old) {
			at, total = overlappingOccurrences(hay, old, most)
			return at, total, false
		}
		if total++; len(at) < most {
			at = append(at, i)
		}
		last, from = i, i+1
	}
}

// overlappingOccurrences is occurrences for a text that overlaps itself, by the search of Knuth, Morris and Pratt.
func overlappingOccurrences(hay, old string, most int) (at []int, total int) {
	back := make([]int32, len(old))
	for i, k := 1, int32(0); i < len(old); i++ {
		for k > 0 && old[i] != old[k] {
			k = back[k-1]
		}
		if old[i] == old[k] {
			k++
		}
		back[i] = k
	}
	k := int32(0)
	for i := range len(hay) {
		for k > 0 && (int(k) == len(old) || hay[i] != old[k]) {
			k = back[k-1]
		}
		if hay[i] == old[k] {
			k++
		}
		if int(k) == len(old) {
			if total++; len(at) < most {
				at = append(at, i+1-len(old))
			}
		}
	}
	return at, total
}
