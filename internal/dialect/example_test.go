package dialect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The worked examples of the documents that the dialects come from, byte for byte, each in its own dialect.
func TestWorkedExamples(t *testing.T) {
	for _, d := range All {
		files, err := filepath.Glob(filepath.Join("testdata", d.Name, "*.patch"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no examples (%v)", d.Name, err)
		}
		for _, name := range files {
			t.Run(d.Name+"/"+filepath.Base(name), func(t *testing.T) {
				text, want := load(t, name), load(t, strings.TrimSuffix(name, ".patch")+".want")
				if got := reading(d, text, Options{}); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

func load(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// examples are all texts of the worked examples.
func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.patch")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(files))
	for i, name := range files {
		out[i] = load(t, name)
	}
	return out
}
