//go:build linux && (amd64 || arm64)

package landing_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
)

// savesOf returns how many saves TestSaves makes in each way: EMEND_LANDING_SAVES, or a few.
func savesOf(t *testing.T) int {
	t.Helper()
	s := os.Getenv("EMEND_LANDING_SAVES")
	if s == "" {
		return 25
	}
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}

// saver is a person with a file open in an editor, who saves it again and again: each time one line more of theirs, whatever the file has by
// then.
type saver struct {
	t      *testing.T
	file   string
	how    func(file, text string) error
	buffer string
	runs   sync.Mutex // held while a command runs over a layer, or to keep one from running
	lost   int
	landed chan struct{} // gets a value for each landing
}

// save saves once more.
func (s *saver) save(i int) {
	s.buffer += fmt.Sprintf("person %d\n", i)
	if err := s.how(s.file, s.buffer); err != nil {
		s.t.Error(err)
	}
}

// check checks that the last save is in the file, with nothing in front of it and only lines of commands after it. For the instant in
// which a landing is taken back the file may be another one: then check asks again when no command runs.
func (s *saver) check() {
	if s.inPlace() {
		return
	}
	s.runs.Lock()
	defer s.runs.Unlock()
	if !s.inPlace() {
		s.lost++
		data, _ := os.ReadFile(s.file)
		s.t.Errorf("a save is lost: the file has %.200q, not %.200q", data, s.buffer)
	}
}

func (s *saver) inPlace() bool {
	data, err := os.ReadFile(s.file)
	rest, ok := strings.CutPrefix(string(data), s.buffer)
	return err == nil && ok && strings.Trim(rest, "c\n") == ""
}

// TestSaves has a person save a file, in place or atomically, while commands over layers read it and write it again with a line more. No save
// is lost, and no command lands on a text that it did not see.
func TestSaves(t *testing.T) {
	n := savesOf(t)
	for name, how := range map[string]func(file, text string) error{
		"in place": func(file, text string) error { return os.WriteFile(file, []byte(text), 0o644) },
		"atomically": func(file, text string) error {
			if err := os.WriteFile(file+".tmp", []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(file+".tmp", file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a": "", ".gitignore": ""})
			s := &saver{t: t, file: w.path("a"), how: how, landed: make(chan struct{}, 1)}
			done := make(chan struct{})
			go func() {
				defer close(done)
				r := rand.New(rand.NewPCG(1, 1))
				for i := range n {
					s.save(i)
					time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond) // to save at all moments
					s.check()
					if i%20 == 19 || i == n-1 { // so that some land
						select {
						case <-s.landed:
						default:
						}
						<-s.landed
						s.check()
					}
				}
			}()
			began, runs, landed, stale := time.Now(), 0, 0, 0
			for saving := true; saving; {
				select {
				case <-done:
					saving = false
					continue
				default:
				}
				runs++
				s.runs.Lock()
				entry := s.run(w)
				s.runs.Unlock()
				if entry == "" {
					continue
				}
				landed++
				if !s.sawWhatItReplaced(w, entry) {
					stale++
				}
				select {
				case s.landed <- struct{}{}:
				default:
				}
			}
			t.Logf("%d saves %s, %d commands, %d landed, %d saves lost, %d landed on a stale text, %v", n, name, runs, landed, s.lost, stale, time.Since(began).Round(time.Millisecond))
		})
	}
}

// run runs a command that writes the file with a line more, and notes what it has read. It returns the entry if that landed.
func (s *saver) run(w *world) (entry string) {
	rep, err := w.run(context.Background(), `text=$(cat a; echo .); printf %s "${text%.}" | sha256sum | cut -c1-64 > base; printf '%sc\n' "${text%.}" > a`)
	if err == nil && rep.Exit == 0 {
		return rep.Entry
	}
	if err == nil || rep == nil || rep.Layer == "" || !errors.Is(err, fail.Stale) {
		s.t.Errorf("%+v, %v", rep, err)
		return ""
	}
	if err := w.ws.Host().DiscardLayer(context.Background(), rep.Layer); err != nil {
		s.t.Error(err)
	}
	return ""
}

// sawWhatItReplaced reports whether the content that a landing replaced is the one that the command has read.
func (s *saver) sawWhatItReplaced(w *world, entry string) bool {
	base, err := os.ReadFile(w.path("base"))
	must(s.t, err)
	d, err := w.ws.Show(context.Background(), entry)
	must(s.t, err)
	for _, f := range d.Data.Files {
		if f.Path == "a" && f.BeforeSha256 == strings.TrimSpace(string(base)) {
			return true
		}
	}
	sum := sha256.Sum256([]byte(s.buffer))
	s.t.Errorf("%s landed on a stale text: it saw %s; the last save is %s: %+v", entry, base, hex.EncodeToString(sum[:]), d.Data.Files)
	return false
}
