package gitobjects

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkIndex(b *testing.B) {
	dir := b.TempDir()
	git(b, dir, "init", "-q")
	id := strings.TrimSpace(gitWith(b, dir, "x", "hash-object", "-w", "--stdin"))
	var lines strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&lines, "100644 %s\tinternal/some/directory%d/another/file%d.go\n", id, i/50, i)
	}
	gitWith(b, dir, lines.String(), "update-index", "--index-info")
	for _, version := range []string{"2", "4"} {
		git(b, dir, "update-index", "--index-version", version)
		r, err := Open(dir)
		must(b, err)
		b.Run("version="+version, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if x, err := r.Index(); err != nil || len(x.Entries) != 20_000 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBlob(b *testing.B) {
	dir := newRepo(b, 40)
	r, err := Open(dir)
	must(b, err)
	defer r.Close()
	blobs := gitsBlobs(b, dir)
	for _, where := range []string{"loose", "packed"} {
		if where == "packed" {
			git(b, dir, "gc", "-q")
		}
		b.Run(where, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for id := range blobs {
					if _, err := r.Blob(id, 1<<20); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(blobs)), "µs/blob")
		})
	}
}
