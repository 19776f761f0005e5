package guard

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestOpenDir(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/d/e/f": "", "ws/g": "", "out/f": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		for rel, want := range map[string][]string{".": {"d", "g"}, "d": {"e"}, "d/e": {"f"}} {
			d, err := g.OpenDir(rel)
			check(t, err)
			names, err := d.Names()
			slices.Sort(names)
			if err != nil || !slices.Equal(names, want) {
				t.Errorf("%s has %q, %v", rel, names, err)
			}
			check(t, d.Sync())
			check(t, d.Close())
		}
		for rel, want := range map[string]string{"none": notFound, "d/none": notFound, "g": notFound, "g/x": notFound,
			"../out": badArguments, "": badArguments, "/": badArguments, "d/": badArguments, "d/..": badArguments, "./d": badArguments} {
			_, err := g.OpenDir(rel)
			refused(t, err, want)
		}
	})
}

// The open directory stays the same when it is moved away and another takes its name.
func TestOpenDirStays(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/old": "", "e/new": ""})
	each(t, func(t *testing.T, open opener) {
		d, err := open(dir, Options{}).OpenDir("d")
		check(t, err)
		defer d.Close()
		turn := func() {
			for _, names := range [][2]string{{"d", "x"}, {"e", "d"}, {"x", "e"}} {
				check(t, os.Rename(filepath.Join(dir, names[0]), filepath.Join(dir, names[1])))
			}
		}
		turn()
		if names, err := d.Names(); err != nil || !slices.Equal(names, []string{"old"}) {
			t.Errorf("has %q, %v", names, err)
		}
		turn()
	})
}

func TestMaxDepth(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/b/c/d": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{MaxDepth: 3})
		for path, want := range map[string]string{"a/b/c": "", "a/./b//c": "", "x/y/z": "", "a/b/c/d": limit, "x/y/z/u": limit} {
			_, err := g.Resolve(path, Request{Write: true})
			if want != "" {
				refused(t, err, want)
			} else {
				check(t, err)
			}
		}
		_, err := g.Resolve("c/d", Request{Base: "a/b"})
		refused(t, err, limit)
	})
}
