package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	dataFiles = 1_000
	dataSize  = 1 << 20
)

// turn is the change of an agent in each turn, beside data that git does not have.
type turn struct {
	name   string
	script string // gets the number of the turn as $1
	files  int    // so many files change
}

var turns = []turn{
	{"one line of a file of 64 KiB", `f="d0/s2/f$(($1 % 10)).go"; [ "$(wc -c <$f)" -gt 60000 ] || head -c 49152 /dev/urandom | base64 >$f; sed -i "1s/.*/turn $1/" $f`, 1},
	{"a file of 64 KiB is written anew", `head -c 49152 /dev/urandom | base64 -w 0 >"d0/s0/f$(($1 % 10)).go"`, 1},
	{"10 small edits", `sed -i "s|^// .*|// turn $1|" d0/s1/f?.go`, 10},
}

// growth measures what the store grows by, turn after turn, in a tree with a gigabyte that git does not have.
func (b *bench) growth(ctx context.Context) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "\n## What the store grows by\n\n%d turns in a work tree of 1,000 committed files, beside %d files of 1 MiB that git does not have and no rule ignores. \"Changed\" are the\n"+
		"bytes of the files that the turns changed, as they were before; the diff of a text that is written anew has it twice. \"At first\" is the store after a command that changes nothing; all are bytes of files, in\nMB of 10^6.\n\n"+
		"| mode | each turn | at first MB | changed MB | the store grows by MB | of these the log | times what changed |\n|---|---|---:|---:|---:|---:|---:|\n", b.turns, dataFiles)
	var said string
	for _, mode := range []string{"overlay", "witness"} {
		if mode == "overlay" && !b.has(overlayWay) {
			continue
		}
		for _, t := range turns {
			row, first, err := b.grow(ctx, mode, t)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", mode, t.name, err)
			}
			out.WriteString(row)
			fmt.Fprint(os.Stderr, row) // so that a run which is cut off has said something
			if mode == "witness" {
				said = first
			}
		}
	}
	fmt.Fprintf(&out, "\nWhat witness mode prints before the first command:\n\n%s\n", indent(said))
	return out.String(), nil
}

func (b *bench) has(name string) bool {
	for _, w := range b.ways {
		if w.name == name {
			return true
		}
	}
	return false
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// grow lets the store of a new tree grow. first is what the first run printed.
func (b *bench) grow(ctx context.Context, mode string, t turn) (row, first string, err error) {
	root := filepath.Join(b.scratch, "growing")
	defer os.RemoveAll(root)
	defer os.RemoveAll(root + ".shadow")
	if err := makeTree(ctx, root, 1_000); err != nil {
		return "", "", err
	}
	if err := makeData(filepath.Join(root, "data")); err != nil {
		return "", "", err
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, b.emend, append([]string{"run", "--mode", mode, "--"}, args...)...)
		cmd.Dir = root
		said, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return string(said), err
	}
	if first, err = run("true"); err != nil {
		return "", "", err
	}
	// The files have their size from now on.
	for i := range 10 {
		if _, err := run(shell(t.script, i)...); err != nil {
			return "", "", err
		}
	}
	store := filepath.Join(root, ".git", "emend")
	atFirst, logFirst, err := sizes(store)
	if err != nil {
		return "", "", err
	}
	changed := int64(0)
	for i := range b.turns {
		before, err := stamps(filepath.Join(root, "d0"))
		if err != nil {
			return "", "", err
		}
		if _, err := run(shell(t.script, 10+i)...); err != nil {
			return "", "", err
		}
		n, bytes, err := changedSince(filepath.Join(root, "d0"), before)
		if err != nil || n != t.files {
			return "", "", fmt.Errorf("%d files changed, want %d; %w", n, t.files, err)
		}
		changed += bytes
	}
	last, logLast, err := sizes(store)
	if err != nil {
		return "", "", err
	}
	mb := func(n int64) float64 { return float64(n) / 1e6 }
	return fmt.Sprintf("| %s | %s | %.1f | %.1f | %.1f | %.1f | %.2f |\n", mode, t.name, mb(atFirst), mb(changed), mb(last-atFirst), mb(logLast-logFirst),
		float64(last-atFirst)/float64(changed)), first, nil
}

// makeData fills a directory with what cannot be compressed.
func makeData(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	source, text := rand.NewChaCha8([32]byte{1}), make([]byte, dataSize)
	for i := range dataFiles {
		source.Read(text) //nolint:errcheck // it never fails
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.bin", i)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sizes returns the bytes of the files below a directory, and how many of them are the log's. A file with several names counts once.
func sizes(dir string) (all, log int64, err error) {
	seen := map[int64][]fs.FileInfo{} // by size
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		is, err := d.Info()
		if err != nil || slices.ContainsFunc(seen[is.Size()], func(other fs.FileInfo) bool { return os.SameFile(is, other) }) {
			return err
		}
		seen[is.Size()] = append(seen[is.Size()], is)
		all += is.Size()
		if rel, err := filepath.Rel(dir, p); err == nil && strings.HasPrefix(rel, "log") {
			log += is.Size()
		}
		return nil
	})
	return all, log, err
}

// stamps describes the files below a directory.
func stamps(dir string) (map[string]fs.FileInfo, error) {
	out := map[string]fs.FileInfo{}
	return out, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		out[p], err = d.Info()
		return err
	})
}

// changedSince counts the files that are not as they were, and the bytes that they had.
func changedSince(dir string, before map[string]fs.FileInfo) (n int, bytes int64, err error) {
	now, err := stamps(dir)
	for p, is := range now {
		if was := before[p]; was == nil || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			n++
			if was != nil {
				bytes += was.Size()
			}
		}
	}
	return n, bytes, err
}
