package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// session is a running round.
type session struct {
	config config
	round
	disk   *disk
	path   string // of the disk
	mnt    string // its mount point
	emend  string // path of the program
	helper *helperProcess
	ctx    context.Context
}

// run records, generates the states and judges them.
func (s *session) run(ctx context.Context) *result {
	s.ctx = ctx
	start := time.Now()
	r := &result{round: s.round, raw: map[treeState]int{}}
	if r.notRun = s.missingPrograms(); r.notRun != "" {
		return r
	}
	if r.err = os.MkdirAll(s.mnt, 0o700); r.err == nil {
		r.err = s.start(r)
	}
	s.disk.load(new(image)) // release the memory
	r.took = time.Since(start)
	return r
}

// missingPrograms returns what is missing on this machine, or "".
func (s *session) missingPrograms() string {
	for _, words := range [][]string{s.fs.mkfs, s.fs.fsck} {
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err != nil {
			return fmt.Sprintf("%s is missing: apt-get install %s, or as your system does it", words[0], s.fs.pkg)
		}
	}
	known, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(strings.Fields(string(known)), s.fs.kind) && exec.Command("modprobe", s.fs.kind).Run() != nil {
		return "this kernel has no " + s.fs.kind
	}
	return ""
}

// start makes recordings, each of other patches, until they had enough states.
func (s *session) start(r *result) error {
	for n := uint64(0); r.states < s.config.states; n++ {
		before := r.states
		if err := s.recordAndExplore(r, s.config.seed+n); err != nil || r.notRun != "" {
			return err
		}
		if r.states == before {
			return errors.New("a recording has no state that is wanted")
		}
	}
	return nil
}

// recordAndExplore makes one recording and explores it.
func (s *session) recordAndExplore(r *result, seed uint64) (err error) {
	if s.helper, err = newRemote(s.job(seed)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.helper.close()) }()
	if a, err := s.helper.ask(order{Do: "make"}); a.Denied {
		r.notRun = a.Err
		return nil
	} else if err != nil {
		return err
	}
	base, stream, err := s.record()
	if err != nil {
		return err
	}
	r.flush += countFlushes(stream)
	rng := rand.New(rand.NewPCG(seed, 1))
	if s.again {
		return s.exploreAgain(r, base, stream, rng)
	}
	return s.explore(r, base, stream, s.config.states-r.states, rng)
}

func (s *session) job(seed uint64) job {
	return job{FS: s.fs.name, Disk: s.path, Dir: s.mnt, Writer: s.writer, Emend: s.emend, Plant: s.plant, Seed: seed, T: earlier(s.writer) + s.config.t}
}

func countFlushes(stream []event) int {
	n := 0
	for _, e := range stream {
		if e.kind == flush {
			n++
		}
	}
	return n
}

// record has the writer apply all patches. It returns the content of the disk before, and all events since. The recording ends
// while the file system is still mounted.
func (s *session) record() (base *image, stream []event, err error) {
	base = s.disk.record()
	done := earlier(s.writer)
	s.disk.note(mark{Begun: done, Acked: done})
	if err := s.helper.order(order{Do: "mount"}); err != nil {
		return nil, nil, err
	}
	for n := range s.config.t {
		t := done + n
		s.disk.note(mark{Begun: t + 1, Acked: t})
		if err := s.helper.order(order{Do: "write", T: t}); err != nil {
			return nil, nil, fmt.Errorf("patch %d, not interrupted: %w", t+1, err)
		}
		s.disk.note(mark{Begun: t + 1, Acked: t + 1})
	}
	if err := s.helper.order(order{Do: "sync"}); err != nil {
		return nil, nil, err
	}
	stream = s.disk.recorded()
	if s.drop {
		stream = withoutFlushes(stream)
	}
	return base, stream, s.helper.order(order{Do: "unmount"})
}

// explore judges up to want states of a recording.
func (s *session) explore(r *result, base *image, stream []event, want int, rng *rand.Rand) (err error) {
	crashes(base, stream, want, rng, func(c crash) bool {
		var v verdict
		if v, err = s.judge(c); err != nil {
			return false
		}
		r.count(c, v)
		if len(v.Wrong) > 0 && r.bad <= examples {
			err = s.keepImage(c, r.states)
		}
		return err == nil
	})
	return err
}

func (s *session) judge(c crash) (verdict, error) {
	if err := s.ctx.Err(); err != nil {
		return verdict{}, err
	}
	s.disk.load(c.img.clone())
	a, err := s.helper.ask(order{Do: "check", Mark: c.mark})
	return a.Verdict, err
}

// exploreAgain cuts the power a second time, during the recovery from states that need one.
func (s *session) exploreAgain(r *result, base *image, stream []event, rng *rand.Rand) (err error) {
	crashes(base, stream, s.config.states, rng, func(c crash) bool {
		if rng.IntN(4) > 0 { // spread over the whole recording
			return true
		}
		var v verdict
		v, err = s.judge(c)
		if err == nil && v.Moved && len(v.Wrong) == 0 {
			err = s.cutRecovery(r, c, rng)
		}
		return err == nil && r.states < s.config.states
	})
	return err
}

// cutRecovery records the recovery from c and explores that recording.
func (s *session) cutRecovery(r *result, c crash, rng *rand.Rand) error {
	s.disk.load(c.img.clone())
	base := s.disk.record()
	s.disk.note(c.mark)
	a, err := s.helper.ask(order{Do: "repair", Mark: c.mark})
	if err != nil {
		return err
	}
	s.disk.note(mark{Begun: a.Verdict.Tree, Acked: a.Verdict.Tree})
	if err := s.helper.order(order{Do: "sync"}); err != nil {
		return err
	}
	stream := s.disk.recorded()
	if err := s.helper.order(order{Do: "unmount"}); err != nil {
		return err
	}
	r.flush += countFlushes(stream)
	return s.explore(r, base, stream, 25, rng)
}

// keepImage writes the disk of a bad state to a sparse file.
func (s *session) keepImage(c crash, n int) error {
	if s.config.keep == "" {
		return nil
	}
	name := strings.ReplaceAll(fmt.Sprintf("%s-%s-%d.img", s.fs.name, s.round, n), " ", "-")
	f, err := os.Create(filepath.Join(s.config.keep, name))
	if err != nil {
		return err
	}
	defer f.Close()
	for i, b := range c.img.blocks {
		if _, err := f.WriteAt(b.data[:], i*blockSize); err != nil {
			return err
		}
	}
	return errors.Join(f.Truncate(s.fs.size), f.Close())
}

// helperProcess is a helper, seen from the process that serves its disk.
type helperProcess struct {
	cmd *exec.Cmd
	in  io.Closer
	enc *gob.Encoder
	dec *gob.Decoder
}

func newRemote(j job) (*helperProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, helperArgument)
	cmd.Stderr = os.Stderr
	// A namespace of its own unmounts everything when the helper ends, while the disk is still served. If this process shared the
	// mounts and were killed, it would be the last to leave them, and would wait for ever for a disk that only it can serve.
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Setpgid: true} // no interrupt from the terminal
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &helperProcess{cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out)}
	return r, r.enc.Encode(j)
}

func (r *helperProcess) ask(o order) (answer, error) {
	if err := r.enc.Encode(o); err != nil {
		return answer{}, err
	}
	var a answer
	if err := r.dec.Decode(&a); err != nil {
		return answer{}, fmt.Errorf("the process that mounts has ended: %w", err)
	}
	if a.Err != "" {
		return a, errors.New(a.Err)
	}
	return a, nil
}

func (r *helperProcess) order(o order) error {
	_, err := r.ask(o)
	return err
}

// close stops the helper.
func (r *helperProcess) close() error {
	r.in.Close()
	return r.cmd.Wait()
}
