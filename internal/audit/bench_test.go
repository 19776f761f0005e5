package audit

import (
	"fmt"
	"os"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

// realDir is a directory of the operating system.
func realDir(b *testing.B) vfs.Dir {
	b.Helper()
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	dir, err := vfs.FromRoot(root)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dir.Close() })
	return dir
}

// full is a log with one segment of 64 MiB, of transactions of three files.
func full(b *testing.B) (vfs.Dir, *Log) {
	b.Helper()
	dir := realDir(b)
	l := newLog(b, dir, Options{})
	for i := 0; l.state.goodEnd < defaultSegmentSize-4096; i++ {
		r := sample(i)
		if err := l.Append(&r, false); err != nil {
			b.Fatal(err)
		}
		mark := Record{Kind: Applied, Tx: r.Tx, OK: true}
		if err := l.Append(&mark, false); err != nil {
			b.Fatal(err)
		}
	}
	return dir, l
}

func sample(i int) Record {
	r := Record{Kind: Commit, Tx: fmt.Sprintf("%012x", i), Idem: fmt.Sprintf("key-%d", i), Request: hash(nil), OK: true,
		Actor: Actor{Client: "client", Session: "session", Agent: "agent", Tool: "apply_patch"}, PolicyHash: hash(nil)}
	for n := range 3 {
		path := fmt.Sprintf("internal/room/file%d.go", n)
		old, fresh := &Ident{Ino: 1, Sum: hash(nil), Size: 3400}, &Ident{Ino: 2, Sum: hash(nil), Size: 3400}
		r.Ops = append(r.Ops, Op{Operation: "update", Path: path, Before: hash(nil), After: hash(nil), Mode: 0o644, Size: 3400})
		r.Acts = append(r.Acts, Act{Do: DoSwap, Path: path, Slot: n + 1, Old: old, New: fresh})
	}
	return r
}

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) {
			l := newLog(b, realDir(b), Options{})
			for i := 0; b.Loop(); i++ {
				r := sample(i)
				if err := l.Append(&r, sync); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRefresh(b *testing.B) {
	l := newLog(b, realDir(b), Options{})
	for b.Loop() {
		if err := l.Refresh(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFullSegment(b *testing.B) {
	dir, l := full(b)
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			again, err := Open(dir, Options{})
			if err != nil || again.Head() != l.Head() {
				b.Fatal(err)
			}
		}
	})
	b.Run("Pending", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Pending(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, key := range []string{"key-0", "key-9999", "missing"} {
		b.Run("ByKey/"+key, func(b *testing.B) {
			b.SetBytes(l.state.goodEnd)
			for b.Loop() {
				if r, err := l.ByKey(key); err != nil || r == nil && key != "missing" {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Verify", func(b *testing.B) {
		b.SetBytes(l.state.goodEnd)
		for b.Loop() {
			if rep, err := Verify(dir, l.Head()); err != nil || !rep.Whole() {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen is what every process begins with: the end of a log of some length.
func BenchmarkOpen(b *testing.B) {
	dir := realDir(b)
	l := newLog(b, dir, Options{})
	for i := range 100 {
		for _, r := range []Record{sample(i), {Kind: Applied, OK: true}} {
			if err := l.Append(&r, false); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		l, err := Open(dir, Options{})
		if err == nil {
			_, err = l.Pending()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
