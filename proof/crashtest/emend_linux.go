package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// emend is the program under test.
type emend struct {
	job
	work *work
	dir  string
}

func newEmend(j job, w *work, dir string) *emend { return &emend{job: j, work: w, dir: dir} }

// environment is that of the program. Its home is beside the mount point, so that it finds no settings of a person.
func (e *emend) environment() []string {
	home := filepath.Dir(e.Dir)
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "PATH=" + os.Getenv("PATH"), "EMEND_PLANT=" + e.Plant}
}

// close ends nothing: each patch is a process of its own.
func (e *emend) close() error { return nil }

// run runs the program.
func (e *emend) run(stdin string, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Emend, append([]string{"-C", e.dir}, words...)...)
	cmd.Env = e.environment()
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("emend %s: %w: %s%s", words[0], err, stderr.String(), stdout.String())
	}
	return stdout.String(), nil
}

// write applies patch t. The patch comes from standard input, so that only the engine writes to the disk.
func (e *emend) write(t int) error {
	_, err := e.run(e.work.patches[t], "apply", "--lenient")
	return err
}

func (e *emend) repair() error {
	_, err := e.run("", "recover")
	return err
}

func (e *emend) recovered(m mark) (int, []error) { return e.recoveredBy(e, m) }

// recoveredBy runs the recovery, checks everything, runs it again, and has w do the next transaction.
func (e *emend) recoveredBy(w writer, m mark) (int, []error) {
	if err := e.repair(); err != nil {
		return -1, []error{err}
	}
	t, errs := e.inspect(m)
	if len(errs) > 0 {
		return t, errs
	}
	if err := e.recoverAgain(t); err != nil {
		return t, []error{fmt.Errorf("a second recovery: %w", err)}
	}
	if err := e.writeNext(w, t); err != nil {
		return t, []error{fmt.Errorf("the next transaction: %w", err)}
	}
	return t, nil
}

// inspect returns the number of the tree, and everything that is wrong with it or with the store.
func (e *emend) inspect(m mark) (int, []error) {
	got, err := readTree(os.DirFS(e.dir))
	if err != nil {
		return -1, []error{err}
	}
	t, err := e.work.verify(got, m)
	if err != nil {
		return -1, []error{err}
	}
	var errs []error
	if err := unexpectedFiles(os.DirFS(filepath.Join(e.dir, ".git"))); err != nil {
		errs = append(errs, err)
	}
	store := filepath.Join(e.dir, ".git", "emend")
	packed, err := packedContents(store)
	if err != nil {
		errs = append(errs, err)
	}
	return t, append(errs, checkStore(os.DirFS(store), e.work, t, packed)...)
}

// recoverAgain runs the recovery a second time, which must find nothing to do.
func (e *emend) recoverAgain(t int) error {
	store := os.DirFS(filepath.Join(e.dir, ".git", "emend"))
	before, err := readLog(store)
	if err != nil {
		return err
	}
	if err := e.repair(); err != nil {
		return err
	}
	after, err := readLog(store)
	if err != nil {
		return err
	}
	if len(after) != len(before) {
		return fmt.Errorf("the log grew from %d to %d records", len(before), len(after))
	}
	_, errs := e.inspect(mark{t, t})
	return errors.Join(errs...)
}

// writeNext has w do the transaction after tree t, if there is one.
func (e *emend) writeNext(w writer, t int) error {
	if t == len(e.work.patches) {
		return nil
	}
	if err := w.write(t); err != nil {
		return err
	}
	_, errs := e.inspect(mark{t + 1, t + 1})
	return errors.Join(errs...)
}
