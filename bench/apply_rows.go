package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"znkr.io/diff/textdiff"
)

// Names of lanes that bars refer to.
const (
	durable  = "emend"
	unsynced = "emend, durability none"
	planned  = "emend, dry run"
	started  = "emend version"
	gnu      = "GNU patch"
	gitApply = "git apply"
	codex    = "Codex"
)

// applyRows returns the rows that apply patches to files of 3.4 KB.
func applyRows() []row {
	return []row{
		{"a", "a", "one small patch: a line of one file of 3.4 KB", applyRow(1, false,
			bar{lane: durable, peer: codex, most: 1}, bar{lane: unsynced, peer: gnu, most: 2.5}, bar{lane: durable, peer: gnu, most: 4})},
		{"b.100", "b", "100 files, one hunk each", applyRow(100, false)},
		{"b.1000", "b", "1,000 files, one hunk each", applyRow(1000, false,
			bar{lane: unsynced, peer: gitApply, most: 1}, bar{lane: durable, peer: gitApply, most: 1.5})},
		{"c", "c", "1,000 new files", applyRow(1000, true,
			bar{lane: unsynced, peer: gitApply, most: 1}, bar{lane: durable, peer: gitApply, most: 1.5})},
	}
}

// patchForms is one patch over many files, written in each dialect.
type patchForms struct {
	old, new tree
	dirs     []string
	emend    string // names of the files with the patch
	codex    string
	unified  string
}

func applyRow(files int, fresh bool, bars ...bar) func(context.Context, *bench, string) (*work, error) {
	return func(_ context.Context, b *bench, dir string) (*work, error) {
		if b.quick {
			files = min(files, 20)
		}
		p, err := newPatching(dir, files, fresh)
		if err != nil {
			return nil, err
		}
		w := &work{bars: bars}
		if files == 1 {
			w.least = 40
		}
		for _, t := range b.appliers(p) {
			t.counted = !t.part
			if t.tree == nil {
				t.tree = b.fresh(dir, t.program.name == "emend", func(dir string) (string, error) { return p.old.lay(dir, p.dirs) })
			}
			w.lanes = append(w.lanes, b.lanes(t)...)
		}
		return w, nil
	}
}

// appliers returns the programs that apply patches, and two lanes that stop earlier.
func (b *bench) appliers(p *patchForms) []task {
	made := func(dir, _ string) error { return p.new.check(dir) }
	same := func(dir, _ string) error { return p.old.check(dir) }
	apply := []string{"apply", "--quiet", "--dialect", "emend"}
	return []task{
		{name: durable, program: b.programs.emend, args: apply, stdin: p.emend, check: made},
		{name: unsynced, program: b.programs.emend, args: append(apply[:4:4], "--durability=none"), stdin: p.emend, check: made},
		{name: gnu, program: b.programs.patch, args: []string{"--strip=1", "--silent", "--force", "--no-backup-if-mismatch", "--reject-file=-"},
			stdin: p.unified, check: made},
		{name: gitApply, program: b.programs.git, args: []string{"apply", "--whitespace=nowarn", "-"}, stdin: p.unified, check: made},
		{name: codex, program: b.programs.codex, stdin: p.codex, check: made},
		{name: planned, program: b.programs.emend, args: append(apply[:4:4], "--dry-run"), stdin: p.emend, check: same, part: true},
		{name: started, program: b.programs.emend, args: []string{"version"}, check: same, part: true},
	}
}

// directories is the number of directories that the files are in.
const directories = 10

// newPatching creates a change of one line in the middle of each file, or of new files.
func newPatching(dir string, files int, fresh bool) (*patchForms, error) {
	p := &patchForms{old: tree{}, new: tree{}}
	for i := range min(files, directories) {
		p.dirs = append(p.dirs, fmt.Sprintf("dir%d", i))
	}
	var changes []api.Change
	var diff strings.Builder
	for i := range files {
		c := api.Change{Path: fmt.Sprintf("dir%d/file%04d.txt", i%directories, i), HasNew: true, New: content(i, "after")}
		if !fresh {
			c.HasOld, c.Old = true, content(i, "before")
			p.old[c.Path] = c.Old
		}
		p.new[c.Path] = c.New
		changes = append(changes, c)
		diff.WriteString(unified(c))
	}
	return p, p.write(dir, changes, diff.String())
}

// unified formats a change as git does.
func unified(c api.Change) string {
	if !c.HasOld {
		_, hunk, _ := strings.Cut(textdiff.Unified("", c.New), "@@ ")
		return fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ %s", c.Path, c.Path, c.Path, hunk)
	}
	return fmt.Sprintf("diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n%s", c.Path, c.Path, c.Path, c.Path, textdiff.Unified(c.Old, c.New))
}

func (p *patchForms) write(dir string, changes []api.Change, diff string) (err error) {
	for d, name := range map[string]*string{"emend": &p.emend, "codex": &p.codex} {
		*name = filepath.Join(dir, d+".patch")
		text, err := emend.Make(changes, d, 3)
		if err == nil {
			err = os.WriteFile(*name, []byte(text), 0o666)
		}
		if err != nil {
			return fmt.Errorf("the patch in the dialect %s: %w", d, err)
		}
	}
	p.unified = filepath.Join(dir, "unified.patch")
	return os.WriteFile(p.unified, []byte(diff), 0o666)
}

func content(i int, when string) string {
	var b strings.Builder
	for n := range 48 {
		if n == 24 {
			fmt.Fprintf(&b, "line 24 of file %d, as it is %s the patch\n", i, when)
		} else {
			fmt.Fprintf(&b, "line %d of file %d says what it has always said, and nobody changes that\n", n, i)
		}
	}
	return b.String()
}
