package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// record has the fields of a log line that the test needs. The test reads the log with code of its own, since the engine's is
// under test.
type record struct {
	Kind string `json:"kind"`
	Seq  int    `json:"seq"`
	Prev string `json:"prev"`
	H    string `json:"h"`
}

// readLog reads all segments of the log. A missing store has none.
func readLog(store fs.FS) ([]record, error) {
	names, err := fs.Glob(store, "log/*.jsonl")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []record
	for _, name := range names {
		data, err := fs.ReadFile(store, name)
		if err != nil {
			return nil, err
		}
		if out, err = appendLines(out, name, data); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendLines(out []record, name string, data []byte) ([]record, error) {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		r, err := readRecord(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// readRecord parses a line. Its hash is that of the line without the hash.
func readRecord(line []byte) (r record, err error) {
	line, whole := bytes.CutSuffix(line, []byte("\n"))
	if !whole {
		return r, errors.New("the line has no end")
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	rest := bytes.Replace(line, []byte(`,"h":"`+r.H+`"`), nil, 1)
	if fmt.Sprintf("%x", sha256.Sum256(rest)) != r.H {
		return r, errors.New("the hash is of another line")
	}
	return r, nil
}

// checkStore returns everything that is wrong with a store whose tree is w.trees[t], and whose packs have packed.
func checkStore(store fs.FS, w *work, t int, packed map[string]bool) []error {
	log, err := readLog(store)
	if err != nil {
		return []error{err}
	}
	var errs []error
	if err := checkChain(log); err != nil {
		errs = append(errs, err)
	}
	if n := commits(log); n != t {
		errs = append(errs, fmt.Errorf("the log has %d commits and the tree %d", n, t))
	}
	if err := checkDisplaced(store, w, t, packed); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// checkChain returns an error for the first record that does not follow the one before it.
func checkChain(log []record) error {
	for i, r := range log[min(1, len(log)):] {
		if r.Prev != log[i].H || r.Seq != log[i].Seq+1 {
			return fmt.Errorf("log record %d does not follow record %d", r.Seq, log[i].Seq)
		}
	}
	return nil
}

// commits counts the transactions that are done and not reverted.
func commits(log []record) int {
	n := 0
	for _, r := range log {
		switch r.Kind {
		case "commit":
			n++
		case "abort":
			n--
		}
	}
	return n
}

// checkDisplaced reports contents that the first t transactions replaced or deleted and that the store has lost.
func checkDisplaced(store fs.FS, w *work, t int, packed map[string]bool) error {
	kept := map[string]bool{}
	err := fs.WalkDir(store, "slots", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(store, p)
		kept[string(text)] = true
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, gone := range w.gone[:t] {
		for _, text := range gone {
			if !kept[text] && !packed[text] {
				return fmt.Errorf("what transaction %d displaced is lost (%d bytes)", i+1, len(text))
			}
		}
	}
	return nil
}

// unexpectedFiles reports unexpected files in the .git directory. A draft of a store, left by a power cut during its creation, is no
// error: nothing ever reads it.
func unexpectedFiles(git fs.FS) error {
	names, err := fs.ReadDir(git, ".")
	if err != nil {
		return err
	}
	for _, d := range names {
		if d.Name() != "HEAD" && d.Name() != "emend" && !strings.HasPrefix(d.Name(), "emend.") {
			return fmt.Errorf(".git/%s should not be there", d.Name())
		}
	}
	return nil
}
