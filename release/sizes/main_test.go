package main

import (
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestPage makes docs/size.md and compares it with the file: the same pieces with the same reasons, and sizes that differ by 0.2 MB at most, so
// that a small change of emend needs no new page.
func TestPage(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("NOT RUN: the program is built twice, on Linux, and not with -short")
	}
	var made strings.Builder
	if err := write(&made); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../docs/size.md")
	if err != nil {
		t.Fatal(err)
	}
	words, sizes := split(made.String())
	old, were := split(string(data))
	if words != old {
		t.Fatalf("docs/size.md is\n%s\nand the program says\n%s\ngo -C release run ./sizes > docs/size.md writes it anew", old, words)
	}
	for i, size := range sizes {
		if math.Abs(size-were[i]) > 0.25 {
			t.Errorf("docs/size.md says %.1f MB, and it is %.1f MB; go -C release run ./sizes > docs/size.md writes it anew", were[i], size)
		}
	}
}

var size = regexp.MustCompile(`([0-9]+\.[0-9]) MB|[0-9]+ smaller ones`)

// split takes the sizes out of a page.
func split(page string) (words string, sizes []float64) {
	for _, m := range size.FindAllStringSubmatch(page, -1) {
		if n, err := strconv.ParseFloat(m[1], 64); err == nil {
			sizes = append(sizes, n)
		}
	}
	return size.ReplaceAllString(page, "N"), sizes
}
