package match

// Similarity returns the share of two lines that they have in common at both ends.
func Similarity(a, b string) float64 {
	n := min(len(a), len(b))
	if n == 0 || 2*n < max(len(a), len(b)) {
		return 0
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return float64(i+j) / float64(max(len(a), len(b)))
}
