package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/disk"
	"github.com/emend-dev/emend/bench/internal/line"
)

const servedWords = `Each caller has a request in flight, over standard input and output of one process. emend hashes, logs, keeps what was
there before and, but for ` + "`durability none`" + `, syncs; server-filesystem does none of that. After every turn each file has what was
answered as made. What becomes of many edits of one file at once is in [mcp/RESULTS.md](mcp/RESULTS.md).`

// servedTree is a server with a tree of its own.
type servedTree struct {
	*line.Process
	talk *line.Language
	dir  string
	at   []int // number of edits of each file
}

// theirName is the lane of theirs.
const theirName = "server-filesystem"

// serverRows returns the rows about one server: edits and reads.
func (b *bench) serverRows() []row {
	return []row{
		{"k.1", "k", "one caller", b.serving(true, 200, 1, (*servedTree).edits)},
		{"k.64", "k", "64 callers, each with a file of its own", b.serving(true, 640, 64, (*servedTree).edits)},
		{"l.1", "l", "one caller", b.serving(false, 2000, 1, (*servedTree).reads)},
		{"l.64", "l", "64 callers", b.serving(false, 2000, 64, (*servedTree).reads)},
	}
}

// serving starts each server in a tree of its own and has each do the same calls in turn.
func (b *bench) serving(counted bool, calls, callers int, turn func(*servedTree, int, int) (sample, error)) func(context.Context, *bench, string) (*work, error) {
	return func(ctx context.Context, _ *bench, dir string) (*work, error) {
		if b.quick {
			calls = max(calls/10, callers)
		}
		w := &work{ops: calls}
		var all []*servedTree
		w.end = func() (err error) {
			for _, s := range all {
				if endErr := s.End(); err == nil {
					err = endErr
				}
			}
			return err
		}
		for i, v := range b.servers() {
			l := lane{name: v.name, why: v.why}
			if v.why == "" {
				s, err := b.serve(ctx, filepath.Join(dir, fmt.Sprint("side", i)), nil, v)
				if err != nil {
					return w, fmt.Errorf("%s: %w", v.name, err)
				}
				all = append(all, s)
				l.turn = func(context.Context) (sample, error) { return turn(s, calls, callers) }
				if counted {
					l.calls = b.traced(dir, v, calls, callers, turn)
				}
			}
			w.lanes = append(w.lanes, l)
		}
		return w, disk.Flush(dir)
	}
}

// server is a command line; the directory comes last.
type server struct {
	name string
	args []string
	talk *line.Language
	why  string
}

func (b *bench) servers() []server {
	p := b.programs
	why := p.filesystem.why
	if why == "" {
		why = p.node.why
	}
	out := []server{
		{durable, []string{p.emend.path, "serve"}, &line.Our, ""},
		{unsynced, []string{p.emend.path, "--durability=none", "serve"}, &line.Our, ""},
		{theirName, []string{p.node.path, p.filesystem.path}, &line.Their, why},
	}
	if b.older != "" {
		out = append(out, server{older(durable), []string{b.older, "serve"}, &line.Our, ""},
			server{older(unsynced), []string{b.older, "--durability=none", "serve"}, &line.Our, ""})
	}
	return out
}

// pages is the number of files in a server's tree.
const pages = 1000

func (b *bench) serve(ctx context.Context, home string, before []string, v server) (*servedTree, error) {
	s := &servedTree{talk: v.talk, dir: filepath.Join(home, "tree"), at: make([]int, pages)}
	files, dirs := tree{}, []string{}
	for i := range pages {
		files[pageName(i)] = paged(i, 0)
	}
	for i := range directories {
		dirs = append(dirs, fmt.Sprintf("dir%d", i))
	}
	if err := os.MkdirAll(home, 0o777); err != nil {
		return nil, err
	}
	root, err := files.lay(home, dirs)
	if err != nil {
		return nil, err
	}
	s.dir = root
	args := append(append(before, v.args...), root)
	if s.Process, err = line.Start(ctx, home, args); err != nil {
		return nil, err
	}
	return s, s.Meet()
}

// traced counts the syncs of one turn of a separate server, including its start.
func (b *bench) traced(dir string, v server, calls, callers int, turn func(*servedTree, int, int) (sample, error)) func(context.Context) (map[string]int, error) {
	if b.programs.strace.why != "" {
		return nil
	}
	return func(ctx context.Context) (map[string]int, error) {
		counts := filepath.Join(dir, "counts")
		args := []string{b.programs.strace.path, "-f", "-qq", "-c", "-e", "trace=" + strings.Join(syncs, ","), "-o", counts}
		s, err := b.serve(ctx, filepath.Join(dir, "traced"), args, v)
		if err != nil {
			return nil, err
		}
		_, err = turn(s, calls, callers)
		if endErr := s.End(); err == nil {
			err = endErr
		}
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(counts)
		return parseCounts(string(text)), err
	}
}

func pageName(i int) string { return fmt.Sprintf("dir%d/file%04d.txt", i%directories, i) }

// paged returns the content of file i after so many edits.
func paged(i, edits int) string { return content(i, fmt.Sprint(edits, " edits after")) }

// replies is the result of calls: the time, and the texts that a model would read.
type replies struct {
	took  time.Duration
	texts []string
}

// makeCalls makes calls, none of which may be refused.
func makeCalls(p *line.Process, calls []line.Call, callers int) (replies, error) {
	out, err := p.Drive(calls, callers)
	if err != nil {
		return replies{}, err
	}
	texts, err := out.Texts()
	return replies{out.Took, texts}, err
}

func (s *servedTree) sample(took time.Duration) sample {
	return sample{took: took, peak: line.Resident(s.PID())}
}

// reads reads files in turn.
func (s *servedTree) reads(n, callers int) (sample, error) {
	calls := make([]line.Call, n)
	for i := range calls {
		calls[i] = s.talk.Read(s.dir, pageName(i%pages))
	}
	is, err := makeCalls(s.Process, calls, callers)
	for i, text := range is.texts {
		if k := i % pages; s.talk.Content(text) != paged(k, s.at[k]) {
			return sample{}, fmt.Errorf("another text for %s: %.200q", pageName(k), text)
		}
	}
	return s.sample(is.took), err
}

// edits edits files in turn, and then checks all of them.
func (s *servedTree) edits(n, callers int) (sample, error) {
	calls := make([]line.Call, n)
	for i := range calls {
		old, now := paged(i, s.at[i]), paged(i, s.at[i]+1)
		s.at[i]++
		calls[i] = s.talk.Edit(s.dir, pageName(i), sumOf(strings.NewReader(old)), lineOf(old, 24), lineOf(now, 24))
	}
	is, err := makeCalls(s.Process, calls, callers)
	if err != nil {
		return sample{}, err
	}
	want := tree{}
	for i := range pages {
		want[pageName(i)] = paged(i, s.at[i])
	}
	return s.sample(is.took), want.check(s.dir)
}

func lineOf(text string, n int) string { return strings.SplitAfter(text, "\n")[n] }
