package report

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

func step(t *testing.T, before string, hunks ...patch.Hunk) *plan.Step {
	t.Helper()
	rules := dialect.Rules{Place: dialect.Cursor, Ladder: []patch.Rung{patch.Exact}}
	p, err := plan.Build(context.Background(), patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: "f", Hunks: hunks}}},
		rules, plan.Memory{"f": before}, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &p.Steps[0]
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name string
		step *plan.Step
		want string
	}{
		{"update", step(t, "a\nb\nc\nd\ne\nf\ng\nh\n", patch.Hunk{Lines: []patch.Line{"-e", "+E"}}),
			"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"},
		{"two hunks", step(t, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", patch.Hunk{Lines: []patch.Line{"-a"}}, patch.Hunk{Lines: []patch.Line{" j", "+k"}}),
			"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n@@ -8,3 +7,4 @@\n h\n i\n j\n+k\n"},
		{"open end", step(t, "a\nb", patch.Hunk{Lines: []patch.Line{" b", "+c"}}),
			"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"},
		{"nothing changes", step(t, "a\n", patch.Hunk{Lines: []patch.Line{"-a", "+a"}}), "diff --git a/f b/f\n"},
		{"add", &plan.Step{Op: patch.Add, Path: "f", After: "x\n"},
			"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n"},
		{"add an empty file", &plan.Step{Op: patch.Add, Path: "f"}, "diff --git a/f b/f\nnew file mode 100644\n"},
		{"delete", &plan.Step{Op: patch.Delete, Path: "a b", Before: "x"},
			"diff --git a/a b b/a b\ndeleted file mode 100644\n--- a/a b\t\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n"},
		{"delete a binary file", &plan.Step{Op: patch.Delete, Path: "f", Before: "\x00"},
			"diff --git a/f b/f\ndeleted file mode 100644\nBinary files a/f and b/f differ\n"},
		{"move", &plan.Step{Op: patch.Move, Path: "f", To: "g\"", Before: "x\n", After: "x\n"},
			"diff --git a/f \"b/g\\\"\"\nrename from f\nrename to \"g\\\"\"\n"},
	}
	for _, tt := range tests {
		if got := Diff(tt.step); got != tt.want {
			t.Errorf("%s: got\n%q\nwant\n%q", tt.name, got, tt.want)
		}
	}
}

// TestGitReadsOurDiffs checks that git apply makes of a diff what the plan says, byte for byte.
func TestGitReadsOurDiffs(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: our diffs were not put to it")
	}
	dir := t.TempDir()
	var diffs strings.Builder
	want := map[string]string{}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 6))
		before := randomText(rng)
		name := fmt.Sprintf("f%d", seed)
		s := step(t, before, randomHunks(rng, before)...)
		s.Path = name
		if err := os.WriteFile(filepath.Join(dir, name), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		diffs.WriteString(Diff(s))
		want[name] = s.After
	}
	cmd := exec.Command(git, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "--allow-empty", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "HOME="+dir)
	cmd.Stdin = strings.NewReader(diffs.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	for name, w := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != w {
			t.Errorf("%s: git makes %q, the plan says %q (%v)", name, got, w, err)
		}
	}
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	ends := []string{"\n", "\n", "\n", "\r\n", "\r"}
	for i := range rng.IntN(40) {
		fmt.Fprintf(&b, "%d%s", i, ends[rng.IntN(len(ends))])
	}
	if rng.IntN(2) == 0 {
		b.WriteString("open")
	}
	return b.String()
}

func randomHunks(rng *rand.Rand, before string) []patch.Hunk {
	var out []patch.Hunk
	lines := strings.FieldsFunc(before, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := 0; i < len(lines); i += 1 + rng.IntN(12) {
		h := patch.Hunk{Lines: []patch.Line{patch.Line(" " + lines[i]), "+new"}}
		switch rng.IntN(3) {
		case 0:
			h.Lines[0] = patch.Line("-" + lines[i])
		case 1:
			h.Lines = []patch.Line{patch.Line("-" + lines[i])}
		}
		out = append(out, h)
	}
	if len(lines) == 0 {
		out = append(out, patch.Hunk{Lines: []patch.Line{"+new"}, AtEnd: true})
	}
	return out
}

// BenchmarkDiff prints the cost of a line, for files with one kind of line end each.
func BenchmarkDiff(b *testing.B) {
	for _, end := range []string{"\n", "\r"} {
		for n := 1 << 14; n <= 1<<17; n *= 2 {
			b.Run(fmt.Sprintf("%q/lines=%d", end, n), func(b *testing.B) {
				s := &plan.Step{Op: patch.Update, Path: "f", Before: strings.Repeat("a"+end, n), After: strings.Repeat("b"+end+"a"+end, n/2)}
				for i := 0; i < n; i += 2 {
					s.Edits = append(s.Edits, text.Change{A0: i, A1: i + 1, B0: i, B1: i + 1})
				}
				for b.Loop() {
					Diff(s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
			})
		}
	}
}
