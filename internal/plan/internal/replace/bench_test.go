package replace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// sources is n different lines of code.
func sourceLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tvalue%d := compute(%d, \"name %d\")\n", i, i*7919%n, i)
	}
	return b.String()
}

func lineEditsFor(n, every int) []Edit {
	var out []Edit
	for i := 0; i < n; i += every {
		out = append(out, Edit{Old: fmt.Sprintf("\tvalue%d := compute(", i), New: fmt.Sprintf("\tvalue%d := computed(", i)})
	}
	return out
}

// BenchmarkRun is edits of real sizes, many edits, and texts that mean to hurt. Sizes double.
func BenchmarkRun(b *testing.B) {
	type job struct {
		before string
		edits  []Edit
		o      Options
	}
	run := func(name string, j job) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(j.before)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Run(j.before, j.edits, j.o); err != nil && len(fail.All(err)[0].Msg) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
	for _, n := range []int{1 << 10, 1 << 15, 1 << 18} {
		src := sourceLines(n)
		size := fmt.Sprintf("/lines=%d", n)
		run("one"+size, job{before: src, edits: lineEditsFor(n, n)})
		run("hundred"+size, job{before: src, edits: lineEditsFor(n, n/100+1)})
		run("missing"+size, job{before: src, edits: []Edit{{Old: "\tvalue7 := computing(7, \"nme\")", New: "x"}}})
		run("missing50"+size, job{before: src, edits: func() (out []Edit) {
			for i := range 50 {
				out = append(out, Edit{Old: fmt.Sprintf("\tvalue%d := computing(\n}\nvalue%d", i, i+1), New: "x"})
			}
			return out
		}()})
		run("loose"+size, job{before: src, edits: []Edit{{Old: "value7 := compute(" + fmt.Sprint(7*7919%n) + ", \"name 7\")  \n", New: "x\n"}}, o: Options{Tolerance: patch.Unicode}})
		same := strings.Repeat("a", len(src))
		run("self-overlap"+size, job{before: same, edits: []Edit{{Old: same[:len(same)/2], New: "b"}}})
		run("all"+size, job{before: src, edits: []Edit{{Old: "\t", New: "  ", Count: n}}})
		blocks := strings.Repeat("ab\n", len(src)/3)
		run("nested"+size, job{before: blocks, edits: []Edit{{Old: "a", New: "1", Count: len(src) / 3}, {Old: "ab", New: "2", Count: len(src) / 3}, {Old: "b\n", New: "3", Count: len(src) / 3}}})
	}
	src := sourceLines(1 << 18) // 10 MB
	run("many", job{before: src, edits: lineEditsFor(1<<18, 1<<18/800)})
	run("too many", job{before: src, edits: lineEditsFor(1<<18, 26)})
}
