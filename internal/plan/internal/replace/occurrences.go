package replace

import "strings"

// occurrences finds every place of old in hay and counts them, also those that overlap others. It returns at least
// the first most places if there are so many, and whether all of them are apart. Its time is linear in both.
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

// overlappingOccurrences is what occurrences does for a text that overlaps itself: Knuth, Morris and Pratt's search.
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
