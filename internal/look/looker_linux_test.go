package look_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	listen "github.com/emend-dev/emend/internal/watch"
)

// pairScene has 40 directories of two files, and a Looker that looked before a command. All files are older than the resolution of
// the clock, so that the next look needs to read nothing again.
type pairScene struct {
	*scene
	looker *emend.Looker
}

func newPairScene(t *testing.T) *pairScene {
	if w, err := listen.New(); err != nil {
		t.Skip("NOT RUN: ", err)
	} else {
		w.Close()
	}
	files := []string{".gitignore", "out/\n", "out/x", "X\n", "link", "-> d0/a"}
	for i := range 40 {
		files = append(files, fmt.Sprintf("d%d/a", i), fmt.Sprintf("a %d\n", i), fmt.Sprintf("d%d/b", i), fmt.Sprintf("b %d\n", i))
	}
	s := &pairScene{scene: newScene(t, files...)}
	s.Must(os.Link(s.At("d1/a"), s.At("d2/linked")))
	s.age()
	s.look(api.AtPrompt, "s/", api.LookRequest{})
	s.looker = s.WS.Host().NewLooker()
	t.Cleanup(func() { s.looker.Close() })
	s.pair(api.BeforeCall)
	return s
}

// age waits until the clock of the file system has gone on for longer than its resolution.
func (s *pairScene) age() {
	probe := filepath.Join(s.TempDir(), "probe")
	now := func() time.Time {
		s.Must(os.WriteFile(probe, nil, 0o600))
		is, err := os.Stat(probe)
		s.Must(err)
		return is.ModTime()
	}
	for from := now(); now().Sub(from) < 30*time.Millisecond; {
	}
}

func (s *pairScene) pair(m api.Moment) string {
	s.Helper()
	l, err := s.looker.Look(emend.WithActor(s.Ctx, api.Actor{Tool: "run", Call: "c"}), api.LookRequest{Moment: m})
	s.Must(err)
	return s.recorded(l)
}

// TestLookerMissesNothing: what a command does between the two looks of a Looker is found by the second one. A walk through the whole
// tree afterwards finds nothing more.
func TestLookerMissesNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(s *pairScene)
		want string
	}{
		{"nothing", func(*pairScene) {}, ""},
		{"written in place", func(s *pairScene) { s.Write("d3/a", "new\n") }, "c update d3/a"},
		{"written in place, times set back", func(s *pairScene) {
			is, err := os.Stat(s.At("d3/a"))
			s.Must(err)
			s.Write("d3/a", "z 3\n")
			s.Must(os.Chtimes(s.At("d3/a"), is.ModTime(), is.ModTime()))
		}, "c update d3/a"},
		{"cut off", func(s *pairScene) { s.Must(os.Truncate(s.At("d3/a"), 1)) }, "c update d3/a"},
		{"by a memory map", func(s *pairScene) {
			f, err := os.OpenFile(s.At("d3/a"), os.O_RDWR, 0)
			s.Must(err)
			b, err := syscall.Mmap(int(f.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
			s.Must(err)
			s.Must(f.Close())
			b[0] = 'M'
			s.Must(syscall.Munmap(b))
		}, "c update d3/a"},
		{"replaced", func(s *pairScene) { s.Write("d3/tmp", "new\n"); s.Rename("d3/tmp", "d3/a") }, "c update d3/a"},
		{"replaced from another directory", func(s *pairScene) { s.Write("d4/tmp", "new\n"); s.Rename("d4/tmp", "d3/a") }, "c update d3/a"},
		{"moved", func(s *pairScene) { s.Rename("d3/a", "d4/c") }, "c move d3/a>d4/c"},
		{"removed", func(s *pairScene) { s.Must(os.Remove(s.At("d3/a"))) }, "c delete d3/a"},
		{"made in the root", func(s *pairScene) { s.Write("new", "N\n") }, "c add new"},
		{"permissions", func(s *pairScene) { s.Must(os.Chmod(s.At("d3/a"), 0o755)) }, "c update d3/a"},
		{"permissions of a directory", func(s *pairScene) { s.Must(os.Chmod(s.At("d3"), 0o700)) }, "c update d3"},
		{"a link", func(s *pairScene) { s.Must(os.Remove(s.At("link"))); s.Must(os.Symlink("d1/a", s.At("link"))) }, "c update link"},
		{"a directory made", func(s *pairScene) { s.Must(os.MkdirAll(s.At("d3/n/m"), 0o755)); s.Write("d3/n/m/x", "X\n") }, "c add d3/n/m/x"},
		{"a directory moved", func(s *pairScene) { s.Rename("d3", "e3") }, "c move d3/a>e3/a move d3/b>e3/b"},
		{"directories exchanged", func(s *pairScene) { s.Rename("d3", "t"); s.Rename("d4", "d3"); s.Rename("t", "d4") }, "c update d3/a update d3/b update d4/a update d4/b"},
		{"a directory removed", func(s *pairScene) { s.Must(os.RemoveAll(s.At("d3"))) }, "c delete d3/a delete d3/b"},
		{"by another hard link", func(s *pairScene) { s.Write("d2/linked", "L\n") }, "c update d1/a update d2/linked"},
		{"by a hard link that was made", func(s *pairScene) { s.Must(os.Link(s.At("d3/a"), s.At("d4/n"))); s.Write("d4/n", "N\n") }, "c update d3/a add d4/n"},
		{"rules", func(s *pairScene) { s.Write(".gitignore", "d3/\n") }, "c update .gitignore"},
		{"by many files", func(s *pairScene) {
			for i := range 30 {
				s.Write(fmt.Sprintf("d%d/a", i), "new\n")
			}
		}, "many"},
		{"by more than the kernel keeps", func(s *pairScene) {
			var files [2]*os.File
			for i := range files {
				f, err := os.Create(s.At(fmt.Sprintf("d5/%d", i)))
				s.Must(err)
				defer f.Close()
				files[i] = f
			}
			for i := range 40_000 {
				_, err := files[i%2].WriteString("x")
				s.Must(err)
			}
			s.Write("d3/a", "new\n")
		}, "c update d3/a add d5/0 add d5/1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newPairScene(t)
			tc.do(s)
			if got := s.pair(api.AfterCall); got != tc.want && tc.want != "many" {
				t.Errorf("recorded %q, want %q", got, tc.want)
			}
			if more := s.look(api.AtPrompt, "s/", api.LookRequest{}); more != "" {
				t.Errorf("a walk through the whole tree found %q", more)
			}
		})
	}
}

// TestLookerListens: a change that cannot be heard is found by the next look, which shows that the second look of a Looker reads
// only what changed. Where somebody else looked meanwhile, or a process is left, it reads all.
func TestLookerListens(t *testing.T) {
	unheard := func(s *pairScene) { // the file is changed by a name outside of the tree
		out := filepath.Join(filepath.Dir(s.WS.Root()), "outside")
		s.Must(os.Link(s.At("d3/a"), out))
		s.Must(os.WriteFile(out, []byte("new\n"), 0o644))
	}
	const found = "update d3/a"
	t.Run("unheard", func(t *testing.T) {
		s := newPairScene(t)
		unheard(s)
		s.wants(s.pair(api.AfterCall), "")
		s.wants(s.look(api.AtPrompt, "s/", api.LookRequest{}), "nobody "+found)
	})
	t.Run("another look", func(t *testing.T) {
		s := newPairScene(t)
		s.look(api.AtPrompt, "s/", api.LookRequest{})
		unheard(s)
		s.wants(s.pair(api.AfterCall), "c "+found)
	})
	t.Run("a process is left", func(t *testing.T) {
		s := newPairScene(t)
		unheard(s)
		l, err := s.looker.Look(emend.WithActor(s.Ctx, api.Actor{Tool: "run", Call: "c"}), api.LookRequest{Moment: api.AfterCall, StillRuns: true})
		s.Must(err)
		s.wants(s.recorded(l), "c "+found)
	})
	t.Run("closed", func(t *testing.T) {
		s := newPairScene(t)
		s.Must(s.looker.Close())
		unheard(s)
		s.wants(s.pair(api.AfterCall), "c "+found)
	})
}

// lasting has the looks made by a Looker that lasts.
func (s *pairScene) lasting() *pairScene {
	s.Must(s.looker.Close())
	s.looker = s.WS.Host().NewLastingLooker()
	s.pair(api.AtPrompt)
	s.pair(api.BeforeCall)
	return s
}

// TestLastingLooker: a Looker that lasts finds what changes between any two looks, whatever came before. What cannot be heard is found by
// another look.
func TestLastingLooker(t *testing.T) {
	t.Run("unheard", func(t *testing.T) {
		s := newPairScene(t).lasting()
		out := filepath.Join(filepath.Dir(s.WS.Root()), "outside")
		s.Must(os.Link(s.At("d3/a"), out))
		s.Must(os.WriteFile(out, []byte("new\n"), 0o644))
		s.wants(s.pair(api.AfterCall), "")
		s.wants(s.look(api.AtPrompt, "s/", api.LookRequest{}), "nobody update d3/a")
	})
	t.Run("a look that fails", func(t *testing.T) {
		s := newPairScene(t).lasting()
		s.Write("d3/a", "new\n")
		ctx, cancel := context.WithCancel(s.Ctx)
		cancel()
		if _, err := s.looker.Look(emend.WithActor(ctx, api.Actor{Tool: "run", Call: "c"}), api.LookRequest{Moment: api.AfterCall}); err == nil {
			t.Error("the look did not fail")
		}
		s.wants(s.pair(api.AfterCall), "c update d3/a")
	})
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := newPairScene(t).lasting()
			r := rand.New(rand.NewPCG(seed, 0))
			var said strings.Builder
			for i := range 12 {
				d, e := s.At(fmt.Sprintf("d%d", r.IntN(5))), s.At(fmt.Sprintf("d%d", r.IntN(5)))
				switch r.IntN(9) {
				case 0:
					os.MkdirAll(d+"/n", 0o755)
					os.WriteFile(d+"/n/x", fmt.Append(nil, i), 0o644)
				case 1:
					os.RemoveAll(d)
				case 2:
					os.Rename(d, e+"/moved")
				case 3:
					os.Rename(d+"/a", e+"/a")
				case 4:
					os.WriteFile(s.At(".gitignore"), fmt.Appendf(nil, "out/\nd%d/\n", r.IntN(9)+1), 0o644)
				case 5: // somebody else looks
					said.WriteString(s.look(api.BeforeCall, "s/", api.LookRequest{}))
				case 6:
					os.Link(d+"/b", e+"/linked")
				default:
					os.WriteFile(d+"/b", fmt.Append(nil, i, seed), 0o644)
				}
				said.WriteString(s.pair([]api.Moment{api.BeforeCall, api.AfterCall}[i%2]))
			}
			s.Write("d20/b", "last\n")
			if got := s.pair(api.AfterCall); !strings.HasSuffix(got, " update d20/b") {
				t.Errorf("recorded %q after %q", got, said.String())
			}
			if more := s.look(api.AtPrompt, "s/", api.LookRequest{}); more != "" {
				t.Errorf("a walk through the whole tree found %q after %q", more, said.String())
			}
		})
	}
}
