//go:build linux || darwin

package escape

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// TestPlantedStores uses stores that came with the tree, in an archive or a clone. A store says which transaction must be
// completed, so such a store could command the next emend; it must not.
func TestPlantedStores(t *testing.T) {
	var rows []attack
	at := func(name, dir, top string, acts ...audit.Act) {
		rows = append(rows, attack{name: name, files: map[string]string{"ws/secret": "old\n"}, want: anything,
			prepare: func(t *testing.T, ground string) {
				check(t, os.RemoveAll(ground+"/ws/.git/emend"))
				pending(t, ground, dir, top, acts)
			},
			patch: envelope(update("f")), leaves: map[string]string{"ws/f": ""}})
	}
	put := func(path string) audit.Act { return audit.Act{Do: audit.DoPut, Path: path, New: ident("evil\n")} }
	take := func(path string) audit.Act { return audit.Act{Do: audit.DoTake, Path: path, Old: ident("old\n")} }
	swap := func(path string) audit.Act {
		return audit.Act{Do: audit.DoSwap, Path: path, Old: ident("old\n"), New: ident("evil\n")}
	}
	for place, dir := range map[string]string{"at the root": "ws/.emend", "beside git": "ws/.git/emend"} {
		up := strings.Repeat("../", strings.Count(dir, "/")-1)
		at("pending hook, store "+place, dir, up+"..", put(".git/hooks/post-checkout"))
		at("pending hook that is replaced, store "+place, dir, up+"..", swap(".git/hooks/pre-commit"))
		at("pending removal of a file, store "+place, dir, up+"..", take("secret"))
		at("pending settings, store "+place, dir, up+"..", audit.Act{Do: audit.DoMkdir, Path: ".claude"}, put(".claude/settings.json"))
		at("pending file outside, store "+place, dir, up+"../..", put("out/new"))
		at("pending change outside, store "+place, dir, up+"../..", swap("out/f"))
		at("pending removal outside, store "+place, dir, up+"../..", take("out/f"))
		at("pending move of what is outside, store "+place, dir, up+"../..", audit.Act{Do: audit.DoMove, Path: "out/f", To: "ws/stolen", Old: ident("old\n"), New: ident("old\n")})
		at("pending file outside by ups, store "+place, dir, up+"..", put("../out/new"))
		at("pending file outside, absolutely, store "+place, dir, up+"..", put("/tmp/emend-escaped"))
		at("top is absolute, store "+place, dir, "TOP", put("out/new"))
		at("top is the root of the disk, store "+place, dir, "/", put("TOP/out/new"))
	}
	all(t, rows)
}

func ident(content string) *audit.Ident {
	sum := sha256.Sum256([]byte(content))
	return &audit.Ident{Sum: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

// pending creates a store at dir whose last transaction is not applied yet, as a clone or an archive would: a copy of a store
// that was created elsewhere.
func pending(t *testing.T, ground, dir, top string, acts []audit.Act) {
	t.Helper()
	made := t.TempDir()
	fill(t, ground, made, top, acts)
	check(t, os.CopyFS(filepath.Join(ground, dir), os.DirFS(made)))
}

func fill(t *testing.T, ground, dir, top string, acts []audit.Act) {
	t.Helper()
	d, err := vfs.Open(dir)
	check(t, err)
	defer d.Close()
	check(t, commit.Create(d, replaceTop(top, ground)))
	logs, err := d.Dir("log")
	check(t, err)
	defer logs.Close()
	l, err := audit.Open(logs, audit.Options{})
	check(t, err)
	defer l.Close()
	tx := history.NewID(time.Now())
	for i := range acts {
		acts[i].Slot = i
		acts[i].Path = replaceTop(acts[i].Path, ground)
		content := ""
		if acts[i].New != nil && acts[i].Do != audit.DoMove {
			content = "evil\n"
		}
		check(t, os.WriteFile(filepath.Join(dir, "slots", history.Slot(tx, i)), []byte(content), 0o755))
	}
	check(t, l.Append(&audit.Record{Kind: audit.Commit, Tx: tx, OK: true, Acts: acts}, false))
}

// TestStoreFromInside checks that patches cannot reach the store's own files under any name: whoever can write the log can
// change the record.
func TestStoreFromInside(t *testing.T) {
	var rows []attack
	for _, dir := range []string{"ws/.git/emend", "ws/kept/emend", "ws/d/emend"} {
		prepare := func(t *testing.T, top string) {
			check(t, os.MkdirAll(filepath.Dir(filepath.Join(top, dir)), 0o755))
			a := attack{store: dir, patch: envelope(add("first"))}
			check(t, a.apply(t.Context(), top))
			check(t, os.Symlink(filepath.Join(top, dir), top+"/ws/l"))
		}
		in := strings.TrimPrefix(dir, "ws/")
		for _, path := range []string{in + "/log/00000001.jsonl", in + "/log/00000002.jsonl", in + "/slots/x", in + "/format", in + "/lock",
			in + "/origin", in + "/new", in + "/none/new", "l/log/00000001.jsonl", "l/slots/new"} {
			for verb, of := range verbs {
				rows = append(rows, attack{name: path + ": " + verb, store: dir, prepare: prepare, patch: envelope(of(path)), want: denied})
			}
		}
	}
	all(t, rows)
}

// TestBentStores uses stores with parts that lead outside, or are no files. Nothing is written through them, and nothing
// blocks.
func TestBentStores(t *testing.T) {
	var rows []attack
	bent := func(name string, bend func(t *testing.T, top, store string)) {
		rows = append(rows, attack{name: name, want: anything, patch: envelope(update("f")), leaves: map[string]string{"ws/f": ""},
			files: map[string]string{"out/store/": ""},
			prepare: func(t *testing.T, top string) {
				check(t, os.RemoveAll(top+"/ws/.git"))
				store := top + "/ws/.emend"
				check(t, os.Mkdir(store, 0o700))
				d, err := vfs.Open(store)
				check(t, err)
				defer d.Close()
				check(t, commit.Create(d, ".."))
				bend(t, top, store)
			}})
	}
	bent("store is a link out", func(t *testing.T, top, store string) {
		check(t, os.Rename(store, top+"/out/store/x"))
		check(t, os.Symlink("../out/store/x", store))
	})
	bent("store is a link to an empty directory", func(t *testing.T, top, store string) {
		check(t, os.RemoveAll(store))
		check(t, os.Symlink("../out/empty", store))
	})
	bent("store is a file", func(t *testing.T, _, store string) {
		check(t, os.RemoveAll(store))
		check(t, os.WriteFile(store, nil, 0o600))
	})
	bent("store is a FIFO", func(t *testing.T, _, store string) {
		check(t, os.RemoveAll(store))
		check(t, unix.Mkfifo(store, 0o600))
	})
	for _, part := range []string{"log", "slots", "staging"} {
		bent(part+" is a link out", func(t *testing.T, top, store string) {
			check(t, os.Rename(store+"/"+part, top+"/out/store/"+part))
			check(t, os.Symlink(top+"/out/store/"+part, store+"/"+part))
		})
		bent(part+" is missing", func(t *testing.T, _, store string) { check(t, os.RemoveAll(store+"/"+part)) })
		bent(part+" is a file", func(t *testing.T, _, store string) {
			check(t, os.RemoveAll(store+"/"+part))
			check(t, os.WriteFile(store+"/"+part, nil, 0o600))
		})
	}
	for _, part := range []string{"lock", "format"} {
		bent(part+" is a link out", func(t *testing.T, top, store string) {
			check(t, os.Rename(store+"/"+part, top+"/out/store/"+part))
			check(t, os.Symlink(top+"/out/store/"+part, store+"/"+part))
		})
		bent(part+" is a FIFO", func(t *testing.T, _, store string) {
			check(t, os.Remove(store+"/"+part))
			check(t, unix.Mkfifo(store+"/"+part, 0o600))
		})
		bent(part+" is a directory", func(t *testing.T, _, store string) {
			check(t, os.Remove(store+"/"+part))
			check(t, os.Mkdir(store+"/"+part, 0o700))
		})
		bent(part+" is a device that never ends", func(t *testing.T, _, store string) {
			check(t, os.Remove(store+"/"+part))
			check(t, os.Symlink("/dev/zero", store+"/"+part))
		})
	}
	bent("segment of the log is a link out", func(t *testing.T, top, store string) {
		for _, name := range segments(t, store) {
			check(t, os.Rename(store+"/log/"+name, top+"/out/store/"+name))
			check(t, os.Symlink(top+"/out/store/"+name, store+"/log/"+name))
		}
	})
	bent("segment of the log is a hard link out", func(t *testing.T, top, store string) {
		for _, name := range segments(t, store) {
			check(t, os.Remove(store+"/log/"+name))
			check(t, os.Link(top+"/out/f", store+"/log/"+name))
		}
	})
	bent("segment of the log is a FIFO", func(t *testing.T, _, store string) {
		for _, name := range segments(t, store) {
			check(t, os.Remove(store+"/log/"+name))
			check(t, unix.Mkfifo(store+"/log/"+name, 0o600))
		}
	})
	all(t, rows)
}

func segments(t *testing.T, store string) []string {
	t.Helper()
	entries, err := os.ReadDir(store + "/log")
	check(t, err)
	if len(entries) == 0 {
		t.Fatal("a new log has no segment")
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
