package report

import "fmt"

// FilesInside says how many files of a directory changed that counts as one change, and their size: "41,234 files, 310 MB".
func FilesInside(n int, bytes int64) string {
	what := "files"
	if n == 1 {
		what = "file"
	}
	out := fmt.Sprintf("%s %s", withCommas(int64(n)), what)
	if bytes < 1000 {
		return fmt.Sprintf("%s, %d bytes", out, bytes)
	}
	x, units := float64(bytes)/1000, []string{"kB", "MB", "GB", "TB"}
	for x >= 999.5 && len(units) > 1 {
		x, units = x/1000, units[1:]
	}
	if x < 9.95 {
		return fmt.Sprintf("%s, %.1f %s", out, x, units[0])
	}
	return fmt.Sprintf("%s, %.0f %s", out, x, units[0])
}

// withCommas writes a number with commas between thousands.
func withCommas(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", withCommas(n/1000), n%1000)
}
