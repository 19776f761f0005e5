package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// indexer is emend with a log that grows so fast that each patch but the first also writes an index of it: before the patch come refused
// calls of 1.2 MB, each of one of refusedFiles files.
type indexer struct{ *emend }

const (
	refusals     = 300
	refusedFiles = 7
)

func (x *indexer) write(t int) error {
	if t > 0 {
		if err := x.refuse(t); err != nil {
			return err
		}
	}
	return x.emend.write(t)
}

// refuse appends the refused calls before transaction t, by the code of the engine and without an index.
func (x *indexer) refuse(t int) error {
	defer audit.IndexEvery(math.MaxInt64)()
	dir, err := vfs.Open(x.log())
	if err != nil {
		return err
	}
	defer dir.Close()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		return err
	}
	var all []*audit.Record
	for i := range refusals {
		all = append(all, &audit.Record{Kind: audit.Failed, ErrorKind: "no_match", Message: strings.Repeat("no place ", 450),
			Actor: audit.Actor{Session: fmt.Sprint("s", t), Tool: "apply_patch"},
			Ops:   []audit.Op{{Operation: "update", Path: fmt.Sprintf("refused/%d", i%refusedFiles)}}})
	}
	return errors.Join(log.AppendAll(all, false), log.Close())
}

func (x *indexer) log() string { return filepath.Join(x.dir, ".git", "emend", "log") }

// recovered also asks the log for paths and sessions: after the power cut, and after the recovery and the next patch.
func (x *indexer) recovered(m mark) (int, []error) {
	first := x.asked()
	t, errs := x.recoveredBy(x, m)
	for when, err := range map[string]error{"after the power cut": first, "after the next patch": x.asked()} {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", when, err))
		}
	}
	return t, errs
}

// asked returns an error if the log answers anything else with its indexes than without.
func (x *indexer) asked() error {
	with := x.answers()
	indexes, err := filepath.Glob(filepath.Join(x.log(), "*.idx*"))
	if err != nil || len(indexes) == 0 {
		return err
	}
	for _, name := range indexes { // what the power cut left of them stays for the next patch
		away := filepath.Join(filepath.Dir(x.dir), filepath.Base(name))
		if err := os.Rename(name, away); errors.Is(err, fs.ErrNotExist) {
			continue // one that is of no use is removed by whoever finds it
		} else if err != nil {
			return err
		}
		defer os.Rename(away, name) //nolint:errcheck // the next patch writes another
	}
	for i, want := range x.answers() {
		if with[i] != want {
			return fmt.Errorf("with the index the log says %.300q, without it %.300q", with[i], want)
		}
	}
	return nil
}

// answers returns what the log says of each refused file, of the sessions, and of the files of the last tree.
func (x *indexer) answers() (out []string) {
	ask := func(filter ...string) {
		text, err := x.run("", append([]string{"log", "--json", "--limit", "0"}, filter...)...)
		out = append(out, fmt.Sprintln(text, err))
	}
	for i := range refusedFiles {
		ask("--path", fmt.Sprintf("refused/%d", i))
	}
	ask("--session", "s1")
	ask("--session", fmt.Sprint("s", x.T-1))
	ask("--path", folders[1])
	return out
}
