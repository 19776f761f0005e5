package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// bench is the setting of the trials.
type bench struct {
	change
	scratch   string
	patchFile string
	seed      uint64
}

// row is the result of the trials of one writer.
type row struct {
	writer
	killed, after count // the tree after the kill, and after the recovery
	late          int   // how many had ended before the kill
	whole, inside time.Duration
}

func newBench(scratch string, files int, seed uint64) (*bench, error) {
	b := &bench{change: newChange(files), scratch: scratch, patchFile: filepath.Join(scratch, "change.patch"), seed: seed}
	return b, os.WriteFile(b.patchFile, []byte(b.patch), 0o666)
}

// trials kills a writer n times. Every other kill is at a random moment of the whole run; the others between the first change
// to the tree and the end, a short time with emend.
func (b *bench) trials(ctx context.Context, w writer, n int, tell func(int)) (row, error) {
	r := row{writer: w}
	var err error
	if r.whole, r.inside, err = b.measure(ctx, w); err != nil {
		return r, err
	}
	rng := rand.New(rand.NewPCG(b.seed, 0)) // the same moments for every writer
	for i := range n {
		tell(i)
		k := kill{after: part(rng, r.whole)}
		if i%2 == 1 {
			k = kill{begun: true, after: part(rng, r.inside)}
		}
		if err := b.trial(ctx, w, k, &r); err != nil {
			return r, err
		}
	}
	tell(n)
	return r, nil
}

func part(rng *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(rng.Float64() * float64(d))
}

// measure takes the second best of five uninterrupted runs, and checks that they work.
func (b *bench) measure(ctx context.Context, w writer) (whole, inside time.Duration, err error) {
	var wholes, insides []time.Duration
	for range 5 {
		err := b.inTree(func(dir string) error {
			p, err := b.start(ctx, w, dir)
			if err != nil {
				return err
			}
			p.awaitFirst(filepath.Join(dir, b.first))
			begun := time.Now()
			if err := p.wait(); err != nil {
				return fmt.Errorf("nobody disturbed it, and it failed: %w: %s", err, p.stderr.Bytes())
			}
			wholes, insides = append(wholes, time.Since(p.began)), append(insides, time.Since(begun))
			return b.expectNew(dir)
		})
		if err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(wholes)
	slices.Sort(insides)
	return wholes[1], insides[1], nil
}

func (b *bench) expectNew(dir string) error {
	t, err := readTree(dir)
	if err == nil && !maps.Equal(t, b.new) {
		err = errors.New("nobody disturbed it, and the tree is not the new one")
	}
	return err
}

// kill is the moment to kill: so long after the start, or after the first change.
type kill struct {
	begun bool
	after time.Duration
}

// trial makes one kill, and adds its result to r.
func (b *bench) trial(ctx context.Context, w writer, k kill, r *row) error {
	return b.inTree(func(dir string) error {
		p, err := b.start(ctx, w, dir)
		if err != nil {
			return err
		}
		from := p.began
		if k.begun {
			p.awaitFirst(filepath.Join(dir, b.first))
			from = time.Now()
		}
		if !p.killAt(from.Add(k.after)) {
			r.late++
		}
		if err := b.judge(dir, &r.killed); err != nil {
			return err
		}
		if w.heal != nil {
			if err := w.heal(dir); err != nil {
				return fmt.Errorf("recovering: %w", err)
			}
		}
		return b.judge(dir, &r.after)
	})
}

func (b *bench) judge(dir string, n *count) error {
	t, err := readTree(dir)
	if err == nil {
		n.note(t, &b.change)
	}
	return err
}

// inTree creates the old tree, and removes it afterwards.
func (b *bench) inTree(do func(dir string) error) error {
	dir, err := os.MkdirTemp(b.scratch, "tree")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := b.old.lay(dir); err != nil {
		return err
	}
	return do(dir)
}

// process is a running writer.
type process struct {
	cmd    *exec.Cmd
	began  time.Time
	ended  chan struct{}
	err    error // valid when ended is closed
	stderr bytes.Buffer
}

// start starts a writer and tells it to begin, once it is ready.
func (b *bench) start(ctx context.Context, w writer, dir string) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, exe, dir, b.patchFile), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), roleVar+"="+w.name), &p.stderr
	in, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, p.cmd.Start()); err != nil {
		return nil, err
	}
	_, err = io.ReadFull(out, make([]byte, len("ready\n")))
	if err == nil {
		p.began = time.Now()
		_, err = in.Write([]byte{'\n'})
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	if err != nil {
		return nil, fmt.Errorf("it does not start: %w: %v: %s", err, p.wait(), p.stderr.Bytes())
	}
	return p, nil
}

func (p *process) wait() error {
	<-p.ended
	return p.err
}

// awaitFirst waits for the first change. It polls without a pause, since the time is short.
func (p *process) awaitFirst(name string) {
	for {
		select {
		case <-p.ended:
			return
		default:
		}
		if _, err := os.Lstat(name); err == nil {
			return
		}
	}
}

// killAt kills the process at a moment, and reports whether it was still running.
func (p *process) killAt(at time.Time) bool {
	select {
	case <-p.ended:
		return false
	case <-time.After(time.Until(at)):
	}
	p.cmd.Process.Kill()
	<-p.ended
	return p.err != nil
}
