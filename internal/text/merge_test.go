package text

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// merge merges two texts that were made of base, and reports whether their changes do not meet.
func merge(base, ours, theirs string) (string, bool) {
	out, conflict := Merge(Split(base), Split(ours), Split(theirs), Between(base, ours), Between(base, theirs))
	return out, conflict == nil
}

func TestMerge(t *testing.T) {
	const conflict = "!"
	tests := []struct{ name, base, ours, theirs, want string }{
		{"apart", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n", conflict},
		{"the same", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n"},
		{"the same and another", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n"},
		{"adjacent", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", conflict},
		{"added above and below", "a\nb\nc\n", "x\na\nb\nc\n", "a\nb\nc\ny\n", "x\na\nb\nc\ny\n"},
		{"added at one place", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n", conflict},
		{"added above a changed line", "a\nb\n", "a\nx\nb\n", "a\nB\n", conflict},
		{"removed and changed", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", conflict},
		{"removed and added elsewhere", "a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\nx\nd\n", "b\nc\nx\nd\n"},
		{"an added block that could stand where the other adds", "f\n}\n\ng\n", "f\n}\n\nh\n}\n\ng\n", "f\n}\nx\n\ng\n", conflict},
		{"a removed line that could be its neighbor", "a\na\nb\nc\n", "a\nb\nc\n", "A\na\nb\nc\n", conflict},
		{"final newline", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n"},
		{"final newline and what is added there", "a\nb\nc", "a\nb\nc\n", "a\nb\nc\nd", conflict},
		{"line ends", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
		{"other line ends", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nC\n", conflict},
		{"a byte order mark appears", "a\nb\nc\n", BOM + "a\nb\nc\n", "a\nb\nC\n", BOM + "a\nb\nC\n"},
		{"a byte order mark goes", BOM + "a\nb\nc\n", "a\nb\nc\n", BOM + "a\nb\nC\n", "a\nb\nC\n"},
		{"a byte order mark stays", BOM + "a\nb\nc\n", BOM + "A\nb\nc\n", BOM + "a\nb\nC\n", BOM + "A\nb\nC\n"},
		{"a byte order mark and the first line", "a\nb\n", BOM + "a\nb\n", "A\nb\n", conflict},
		{"a byte order mark appears on the other side", "a\nb\nc\n", "a\nb\nC\n", BOM + "a\nb\nc\n", BOM + "a\nb\nC\n"},
		{"the same first line, and a byte order mark", "a\nb\n", BOM + "A\nb\n", "A\nb\n", conflict},
		{"all of it", "a\n", "", "b\n", conflict},
		{"nothing there", "", "a\n", "b\n", conflict},
	}
	for _, tt := range tests {
		got, ok := merge(tt.base, tt.ours, tt.theirs)
		if !ok {
			got = conflict
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// checkMerge: what one side leaves alone the other decides, both may agree, and it does not matter which is which.
func checkMerge(t *testing.T, base, one, other string) {
	t.Helper()
	for _, law := range []struct{ ours, theirs, want string }{{one, base, one}, {base, other, other}, {one, one, one}} {
		if got, ok := merge(base, law.ours, law.theirs); !ok || got != law.want {
			t.Fatalf("merge(%q, %q, %q) = %q, %t", base, law.ours, law.theirs, got, ok)
		}
	}
	got, ok := merge(base, one, other)
	if back, too := merge(base, other, one); got != back || ok != too {
		t.Fatalf("merge(%q, %q, %q) = %q, %t; the other way %q, %t", base, one, other, got, ok, back, too)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
	f.Add("a\n}\n\nb\n}\n", "a\n}\n\nx\n}\n\nb\n}\n", "a\n}\n\nb\n")
	f.Add(BOM+"a\r\nb", "a\r\nb\r", BOM)
	f.Fuzz(func(t *testing.T, base, one, other string) {
		checkMerge(t, base, one, other)
	})
}

// randomEdit returns lines with some changes.
func randomEdit(rng *rand.Rand, lines []string) (out []string) {
	for _, l := range lines {
		switch rng.IntN(12) {
		case 0:
		case 1:
			out = append(out, l, randomLine(rng))
		case 2:
			out = append(out, randomLine(rng))
		default:
			out = append(out, l)
		}
	}
	return out
}

func randomLine(rng *rand.Rand) string { return fmt.Sprintln(rng.IntN(8)) }

// randomSides returns a text, and two others that were made of it.
func randomSides(rng *rand.Rand) (base, one, other string) {
	var lines []string
	for range rng.IntN(24) {
		lines = append(lines, randomLine(rng))
	}
	return strings.Join(lines, ""), strings.Join(randomEdit(rng, lines), ""), strings.Join(randomEdit(rng, lines), "")
}

func TestMergeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		base, one, other := randomSides(rng)
		checkMerge(t, base, one, other)
	}
}

// TestMergeLikeGit: where neither this nor git merge-file finds a conflict, both make the same text. The seed is fixed: where lines
// repeat, two programs may align them in different ways, and one in some thousand of these texts is merged so.
func TestMergeLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT RUN: git is not installed")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	merged, both := 0, 0
	for range 300 {
		base, one, other := randomSides(rng)
		got, ok := merge(base, one, other)
		if !ok {
			continue
		}
		merged++
		for name, data := range map[string]string{"base": base, "one": one, "other": other} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(git, "merge-file", "-p", "one", "base", "other")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		want, err := cmd.Output()
		if err != nil {
			continue // a conflict
		}
		if both++; got != string(want) {
			t.Errorf("merge(%q, %q, %q) = %q, git makes %q", base, one, other, got, want)
		}
	}
	if t.Logf("merged %d of 300, git %d of these", merged, both); both < 20 {
		t.Errorf("only %d were merged by both", both)
	}
}

// TestMet: the lines around a conflict are widened until no change of either side lies half in them.
func TestMet(t *testing.T) {
	// ours changes lines 2-4, theirs 4-6 and 9
	toOurs, toTheirs := []Change{{2, 5, 2, 3}, {12, 12, 10, 11}}, []Change{{4, 7, 4, 9}, {9, 10, 11, 12}}
	ours, theirs := Met(toTheirs[0], toOurs, toTheirs)
	if want := (Change{2, 7, 2, 5}); ours != want {
		t.Errorf("ours are %+v, want %+v", ours, want)
	}
	if want := (Change{2, 7, 2, 9}); theirs != want {
		t.Errorf("theirs are %+v, want %+v", theirs, want)
	}
	if ours, theirs := Met(toTheirs[1], toOurs, toTheirs); ours != (Change{9, 10, 7, 8}) || theirs != (Change{9, 10, 11, 12}) {
		t.Errorf("%+v, %+v", ours, theirs)
	}
}
