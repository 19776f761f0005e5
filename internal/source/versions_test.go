package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// past is a workspace with a file f, to which a patch wrote each of some contents.
type past struct {
	*testing.T
	dir string
	w   *workspace.Workspace
}

func newPast(t *testing.T, contents ...string) *past {
	t.Helper()
	dir := t.TempDir()
	w, err := workspace.Open(dir, workspace.Config{NoSync: true, Store: filepath.Join(t.TempDir(), "store")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(func() {}) })
	p := &past{t, dir, w}
	p.write(contents[0])
	for i := 1; i < len(contents); i++ {
		p.patch(contents[i-1], contents[i])
	}
	return p
}

func (p *past) write(data string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "f"), []byte(data), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p *past) patch(from, to string) {
	p.Helper()
	patch := "*** Begin Patch\n*** Update File: f\n@@\n-" + from + "+" + to + "*** End Patch\n"
	if _, err := change.Apply(p.Context(), p.w, change.Patch{Text: patch, PatchOptions: api.PatchOptions{Dialect: "emend"}}); err != nil {
		p.Fatal(err)
	}
}

// versions lists the versions of f.
func (p *past) versions(sum string) (out []string) {
	p.Helper()
	r := source.NewReader(p.Context(), p.w)
	defer r.Close()
	f, err := r.Look(p.Context(), "f", false)
	if err == nil {
		_, _, err = r.Load(p.Context(), f)
	}
	if err != nil {
		p.Fatal(err)
	}
	for v := range r.Versions(p.Context(), f, sum) {
		if v.Sha256 != text.Sum(v.Data) {
			p.Errorf("%q has the sha256 %s", v.Data, v.Sha256)
		}
		out = append(out, v.Data)
	}
	return out
}

func TestVersions(t *testing.T) {
	p := newPast(t, "a\n", "b\n", "c\n")
	check := func(what, sum string, want ...string) {
		t.Helper()
		if got := p.versions(sum); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("without a hash, the newest first", "", "b\n", "a\n")
	check("by hash", text.Sum("a\n"), "a\n")
	check("by a hash that none has", text.Sum("z\n"))
	p.write("other\n")
	check("what no slot has is rebuilt", "", "c\n", "b\n", "a\n")
	check("rebuilt by hash", text.Sum("c\n"), "c\n")

	slots, err := filepath.Glob(filepath.Join(p.dir, "..", "*", "store", "slots", "*.0"))
	if err != nil || len(slots) != 2 {
		t.Fatal(slots, err)
	}
	for _, name := range slots {
		if b, _ := os.ReadFile(name); string(b) == "a\n" {
			if err := os.WriteFile(name, []byte("!\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("what was written to since is no version", "", "c\n", "b\n")
}

// TestVersionsAreFew: of a file that was changed often only the newest versions are looked at.
func TestVersionsAreFew(t *testing.T) {
	var all []string
	for i := range 30 {
		all = append(all, fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 10)))
	}
	got := newPast(t, all...).versions("")
	if len(got) != 16 || got[0] != all[28] || got[15] != all[13] {
		t.Errorf("%d: %q", len(got), got)
	}
}
