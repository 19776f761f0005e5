package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/bench/internal/disk"
)

// searchTree is a tree that is searched and never changed. It stays in the cache directory.
type searchTree struct {
	dir  string
	note string
}

// goTree copies the tree of the Go toolchain, without what emend does not show.
func (b *bench) goTree(ctx context.Context) (*searchTree, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	return b.openTree("the Go tree", "texts-"+runtime.Version(), func(dir string) error { return copyTexts(dir, strings.TrimSpace(string(root))) })
}

// generatedTree has many small files, about fifty in each directory.
func (b *bench) generatedTree(context.Context) (*searchTree, error) {
	n := 200_000
	if b.quick {
		n = 2000
	}
	return b.openTree("the generated tree", fmt.Sprintf("tree-generated-%d", n), func(dir string) error { return generate(dir, n) })
}

// openTree returns a tree, creating it if needed. It has been read once, so it is in the page cache.
func (b *bench) openTree(name, file string, make func(dir string) error) (*searchTree, error) {
	if g, ok := b.trees[file]; ok {
		return g, nil
	}
	g := &searchTree{dir: filepath.Join(b.cache, file)}
	if err := g.createOnce(make); err != nil {
		return nil, err
	}
	is, err := treeSize(g.dir)
	g.note = name + ": " + is
	b.trees[file] = g
	return g, err
}

// createOnce creates the tree unless an earlier run has completed it.
func (g *searchTree) createOnce(make func(dir string) error) error {
	if _, err := os.Stat(g.dir); err == nil {
		return nil
	}
	part := g.dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := make(part); err != nil {
		return err
	}
	if err := disk.Flush(part); err != nil {
		return err
	}
	return os.Rename(part, g.dir)
}

// copyTexts copies the files that every program shows alike: UTF-8 without NUL, no links, no names that emend protects or
// skips. It skips a file with a line over 1 MiB, since emend searches only the first MiB of such a line.
func copyTexts(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		if !d.Type().IsRegular() || isProtected(d.Name()) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) || longest(data) > 1<<20 {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}

func longest(text []byte) (most int) {
	for line := range bytes.Lines(text) {
		most = max(most, len(line))
	}
	return most
}

// isProtected reports whether emend denies reading files of that name.
func isProtected(name string) bool {
	for _, pattern := range []string{".env*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "id_*", ".netrc", ".npmrc", ".htpasswd"} {
		if ok, _ := filepath.Match(pattern, strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}

// treeSize returns the size of a tree as text. It reads every file, so the tree is in the page cache.
func treeSize(dir string) (string, error) {
	var files, dirs int
	var size int64
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			dirs++
			return err
		}
		data, err := os.ReadFile(name)
		files++
		size += int64(len(data))
		return err
	})
	return fmt.Sprintf("%d files in %d directories, %d MiB", files, dirs, size>>20), err
}

// vocabulary is the list of words in generated files.
var vocabulary = strings.Fields(`the of if for return error value count index buffer reader writer client server request response handler
context string number length offset config option default local remote begin end first last next open close read write list map
table row column key lock wait start stop size limit order place name path file line text word byte rune match search replace`)

// generate writes n files of 100 B to 20 KB, most of them small. The result is always the same.
func generate(dir string, n int) error {
	r := rand.New(rand.NewPCG(6, 2026))
	pool := randomLines(r, 8<<20)
	const each, tops = 50, 50
	for i := range n {
		d := i / each
		at := filepath.Join(dir, fmt.Sprintf("%s%02d", vocabulary[d%tops], d%tops), fmt.Sprintf("%s%03d", vocabulary[d/tops%len(vocabulary)], d/tops))
		if i%each == 0 {
			if err := os.MkdirAll(at, 0o777); err != nil {
				return err
			}
		}
		size := int(100 * math.Pow(200, r.Float64()))
		from := r.IntN(len(pool) - size - 1000)
		text := wholeLines(pool[from:], size)
		if i%1000 == 7 {
			text = append(bytes.Clone(text), "a rare Needle_in_the_Hay, once in a thousand files\n"...)
		}
		name := fmt.Sprintf("%s_%s%d.%s", vocabulary[r.IntN(len(vocabulary))], vocabulary[r.IntN(len(vocabulary))], i, []string{"go", "ts", "md", "py"}[i%4])
		if err := os.WriteFile(filepath.Join(at, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// randomLines returns about size bytes of indented randomLines of words, with a call or a date now and then.
func randomLines(r *rand.Rand, size int) []byte {
	var b bytes.Buffer
	for b.Len() < size {
		b.WriteString(strings.Repeat("\t", r.IntN(4)))
		for range 2 + r.IntN(10) {
			b.WriteString(vocabulary[r.IntN(len(vocabulary))])
			b.WriteByte(' ')
		}
		switch r.IntN(40) {
		case 0:
			fmt.Fprintf(&b, "func do%d(a, b int) error", r.IntN(1000))
		case 1:
			fmt.Fprintf(&b, "%d-%02d-%02d", 1990+r.IntN(40), 1+r.IntN(12), 1+r.IntN(28))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// wholeLines returns about size bytes of text, in wholeLines lines.
func wholeLines(text []byte, size int) []byte {
	begin := bytes.IndexByte(text, '\n') + 1
	end := begin + size + bytes.IndexByte(text[begin+size:], '\n') + 1
	return text[begin:end]
}
