package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/disk"
	"github.com/emend-dev/emend/bench/internal/line"
)

const (
	bareHash = "a bare hash of the file"
	sums     = "sha256sum"
	memory   = "a bare hash in memory"
	fromLine = 20_000_000
)

func (b *bench) hashRows() []row {
	return []row{
		{"i", "i", "21 lines from the 20,000,000th of a file of 1 GB", b.sliceRow},
		{"j", "j", "a file of 64 MiB", b.hashRow},
	}
}

// writeLongFile writes a file of about size bytes.
func writeLongFile(name string, size int) error {
	const each = 30
	_, err := create(name, func(w io.Writer) { writeLines(w, size/each, func(b []byte, i int) []byte { return appendLine(b, i) }) })
	return err
}

// sliceRow prepares the row that reads some lines of a file together with its hash.
func (b *bench) sliceRow(_ context.Context, _ *bench, dir string) (*work, error) {
	size, from, until := 1<<30, fromLine, fromLine+20
	if b.quick {
		size, from, until = 1<<24, fromLine/100, fromLine/100+20
	}
	root, name := dir, filepath.Join(dir, "f")
	if err := writeLongFile(name, size); err != nil {
		return nil, err
	}
	want, err := sumOfFile(name)
	if err != nil {
		return nil, err
	}
	var text []byte
	for i := from - 1; i < until; i++ {
		text = appendLine(text, i)
	}
	w := &work{bars: []bar{{lane: durable, peer: bareHash, most: 1.1}}}
	for _, t := range []task{
		{name: durable, program: b.programs.emend, check: checkSlice(want, string(text)),
			args: []string{"--root=.", "read", "--json", fmt.Sprintf("--start=%d", from), fmt.Sprintf("--end=%d", until), "f"}},
		{name: bareHash, program: program{name: "hash", path: b.programs.hash}, args: []string{"f"}, check: checkPrinted(want)},
		{name: sums, program: b.programs.sha256sum, args: []string{"f"}, check: checkPrinted(want)},
	} {
		t.tree = func() (string, error) { return root, nil }
		w.lanes = append(w.lanes, b.lanes(t)...)
	}
	return w, disk.Flush(dir)
}

// checkSlice checks the hash and the lines in the answer.
func checkSlice(sum, text string) func(dir, out string) error {
	return func(_, out string) error {
		var is struct {
			Data struct{ Sha256, Content string }
		}
		said, err := os.ReadFile(out)
		if err == nil {
			err = json.Unmarshal(said, &is)
		}
		if err == nil && (is.Data.Sha256 != sum || is.Data.Content != text) {
			err = fmt.Errorf("it is not %s and those lines: %.200q", sum, said)
		}
		return err
	}
}

func checkPrinted(sum string) func(dir, out string) error {
	return func(_, out string) error {
		said, err := os.ReadFile(out)
		if err == nil && !bytes.HasPrefix(said, []byte(sum)) {
			err = fmt.Errorf("it is not %s: %.100q", sum, said)
		}
		return err
	}
}

// hashRow prepares the row that asks a server for a hash, beside hashing in memory.
func (b *bench) hashRow(ctx context.Context, _ *bench, dir string) (*work, error) {
	size := 64 << 20
	if b.quick {
		size = 1 << 20
	}
	name := filepath.Join(dir, "tree", "f")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	if err := writeLongFile(name, size); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	want := sumOf(bytes.NewReader(text))
	var servers []*line.Process
	w := &work{bars: []bar{{lane: durable, peer: memory, most: 1.1}}, ops: 1, end: func() (err error) {
		for _, s := range servers {
			err = errors.Join(err, s.End())
		}
		return err
	}}
	builds := []program{{name: durable, path: b.programs.emend.path}}
	if b.older != "" {
		builds = append(builds, program{name: older(durable), path: b.older})
	}
	for _, build := range builds {
		p, err := line.Start(ctx, b.home(), []string{build.path, "serve", filepath.Dir(name)})
		if err != nil {
			return w, err
		}
		servers = append(servers, p)
		if err := p.Meet(); err != nil {
			return w, err
		}
		w.lanes = append(w.lanes, lane{name: build.name, turn: func(context.Context) (sample, error) { return hashOf(p, want) }})
	}
	w.lanes = append(w.lanes, lane{name: memory, turn: func(context.Context) (sample, error) {
		begin := time.Now()
		sum := sha256.Sum256(text)
		took := time.Since(begin)
		if hex.EncodeToString(sum[:]) != want {
			return sample{}, fmt.Errorf("two hashes of the same")
		}
		return sample{took: took}, nil
	}})
	return w, nil
}

// hashOf asks a server for the hash of the file.
func hashOf(p *line.Process, want string) (sample, error) {
	s, err := makeCalls(p, []line.Call{{Name: "read_file", Arguments: map[string]any{"path": "f", "startLine": 1, "endLine": 1}}}, 1)
	if err == nil && !strings.Contains(s.texts[0], want) {
		err = fmt.Errorf("another hash than %s: %.200q", want, s.texts[0])
	}
	return sample{took: s.took, peak: line.Resident(p.PID())}, err
}

func sumOfFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumOf(f), nil
}
