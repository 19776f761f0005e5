package guard

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// namesIn lists a folder, each name with its kind.
func namesIn(t *testing.T, f *Folder) (out []string) {
	t.Helper()
	var n Names
	check(t, f.List(context.Background(), &n))
	for _, name := range n.List {
		out = append(out, name.Name+" "+name.Kind.String())
	}
	slices.Sort(out)
	return out
}

func folderOf(t *testing.T, g *Guard, path string) *Folder {
	t.Helper()
	e, err := g.Resolve(path, Request{})
	check(t, err)
	f, err := g.Folder(e)
	check(t, err)
	t.Cleanup(f.Close)
	return f
}

// TestFolder: a directory is listed with the kinds of its names, names that may not be read are missing, however they are
// spelled, and a link is a link.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "text", "d/e": "", ".env": "", ".ENV.local": "", ".env.example": "", "x.pem": "", "d/id_rsa": "",
		"d/.Netrc ": "", "link": "-> .env", "out": "-> /etc", ".git/config": "", "kept.key": "", "ＩＤ_RSA": ""})
	each(t, func(t *testing.T, open opener) {
		f := folderOf(t, open(dir, Options{AllowProtected: []string{"kept.key"}}), ".")
		want := []string{".env.example regular file", ".git directory", "a regular file", "d directory", "kept.key regular file",
			"link symbolic link", "out symbolic link"}
		if got := namesIn(t, f); !slices.Equal(got, want) {
			t.Errorf("names: %q", got)
		}
		d, err := f.Enter("d")
		check(t, err)
		defer d.Close()
		if got := namesIn(t, d); !slices.Equal(got, []string{"e regular file"}) || d.Rel() != "d" {
			t.Errorf("names in %s: %q", d.Rel(), got)
		}
		file, err := f.Open("a")
		check(t, err)
		defer file.Close()
		if text, err := io.ReadAll(file); err != nil || string(text) != "text" || file.Size != 4 {
			t.Errorf("read %q, %v", text, err)
		}
		for name, want := range map[string]string{".env": "permission_denied", "x.PEM": "permission_denied", "link": specialFile, "out": specialFile, "d": notFound,
			"none": notFound, "": "command_failed/bad_arguments", "..": "command_failed/bad_arguments", "d/e": "command_failed/bad_arguments"} {
			_, err := f.Open(name)
			refused(t, err, want)
		}
		for _, name := range []string{"link", "out", "a", "none", "..", "d/../d", ".env"} {
			if sub, err := f.Enter(name); err == nil {
				sub.Close()
				t.Errorf("entered %q", name)
			}
		}
		if is, err := f.Stat("a"); err != nil || is.Kind != Regular || is.Size != 4 || is.ModTime.IsZero() {
			t.Errorf("stat: %+v, %v", is, err)
		}
		_, err = f.Stat("x.pem")
		refused(t, err, "permission_denied")
	})
}

// TestFolderJudgesAsLook: for every name on the way, a folder refuses what Resolve refuses, under every kind of policy.
func TestFolderJudgesAsLook(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a", "b", ".env", "x.pem", "sub", ".env.d", "Secret", "id_rsa"}
	for _, x := range names {
		for _, y := range names {
			plant(t, dir, map[string]string{x + ".d/" + y + "/f": "", x + ".d/" + y + "/k.key": ""})
		}
	}
	file := filepath.Join(t.TempDir(), "policy.toml")
	check(t, os.WriteFile(file, []byte("[read]\ndeny = [\"**/secret\"]\nask = [\"b.d/a\"]\nallow = [\"a.d/x.pem\", \"**/f\"]\n"), 0o644))
	p, err := ReadPolicy(file, dir)
	check(t, err)
	seen := 0
	for _, o := range []Options{{}, {AllowProtected: []string{"**/x.pem"}}, {AllowProtected: []string{"a.d/.env", ".env.d"}}, {Policy: p}} {
		each(t, func(t *testing.T, open opener) {
			g := open(dir, o)
			var walk func(f *Folder)
			walk = func(f *Folder) {
				entries, err := os.ReadDir(filepath.Join(dir, f.Rel()))
				check(t, err)
				var want []string
				for _, e := range entries {
					if _, err := g.Resolve(strings.TrimPrefix(f.Rel()+"/"+e.Name(), "/"), Request{}); err == nil {
						want = append(want, e.Name())
					}
				}
				var n Names
				check(t, f.List(context.Background(), &n))
				var got []string
				for _, name := range n.List {
					got = append(got, name.Name)
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%+v: in %q are %q, Look lets %q", o, f.Rel(), got, want)
				}
				for _, name := range n.List {
					seen++
					if name.Kind == Directory {
						sub, err := f.Enter(name.Name)
						check(t, err)
						walk(sub)
						sub.Close()
					}
				}
			}
			walk(folderOf(t, g, "."))
		})
	}
	if seen < 300 {
		t.Errorf("%d names were seen", seen)
	}
}

// TestFolderMoved: a directory that took the place of the one that was resolved is refused.
func TestFolderMoved(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"d/e": "", "other/": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		e, err := g.Resolve("d", Request{})
		check(t, err)
		check(t, os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "was")))
		check(t, os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "d")))
		_, err = g.Folder(e)
		refused(t, err, "stale_file")
		check(t, os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "other")))
		check(t, os.Symlink("was", filepath.Join(dir, "d")))
		_, err = g.Folder(e)
		refused(t, err, "stale_file")
		check(t, os.Remove(filepath.Join(dir, "d")))
		check(t, os.Rename(filepath.Join(dir, "was"), filepath.Join(dir, "d")))
		f, err := g.Folder(e)
		check(t, err)
		f.Close()
	})
}

// TestFolderDepth: a folder does not lead deeper than a path may.
func TestFolderDepth(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/b/c/d": ""})
	f := folderOf(t, func() *Guard { g, err := Open(dir, Options{MaxDepth: 2}); check(t, err); return g }(), "a/b")
	_, err := f.Enter("c")
	refused(t, err, "command_failed/limit")
}

// TestManyNames: a directory larger than one read of the system is listed whole, and reused memory does not change names that
// were returned before.
func TestManyNames(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"few/x": ""}
	for i := range 3000 {
		files["many/"+strings.Repeat("n", i%60)+string(rune('a'+i%26))+strings.Repeat("m", i/60)] = ""
	}
	plant(t, dir, files)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		var n Names
		check(t, folderOf(t, g, "many").List(context.Background(), &n))
		kept := slices.Clone(n.List)
		check(t, folderOf(t, g, "few").List(context.Background(), &n))
		if len(n.List) != 1 || n.List[0].Name != "x" {
			t.Errorf("few: %v", n.List)
		}
		for _, name := range kept {
			if _, ok := files["many/"+name.Name]; !ok || name.Kind != Regular {
				t.Fatalf("%q was not planted", name.Name)
			}
			delete(files, "x")
		}
		if len(kept) != len(files)-1 {
			t.Errorf("%d names, want %d", len(kept), len(files)-1)
		}
	})
}
