// Command history measures what the history of a file takes: bytes and names in the store after many edits of one file, the time
// of each edit, and the cost of reading and bringing back what is packed. git is given the same versions. With -against an older
// build of emend makes the same edits, each in turn with this one.
//
//	go -C bench run ./history                   # writes bench/history/RESULTS.md
//	go -C bench run ./history -against OLD      # beside an older build, which makes the edits too
//	go -C bench run ./history -quick            # fewer edits, printed only
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

// bench is one run.
type bench struct {
	edits   int
	size    int
	against string
	scratch string
	stores  []*store
	git     *store
	costs   []cost
	packing []packing
}

// store is a tree with a history, and the program that makes it.
type store struct {
	name, program, dir string
	answers, ends      []time.Duration // of each edit: until the answer, and until the process ended
	taken              []taken
}

// taken is the size of a history after a number of edits.
type taken struct {
	edits, names      int
	bytes, log, packs int64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{}
	out := flag.String("out", "history/RESULTS.md", "write the results to this `file`")
	quick := flag.Bool("quick", false, "fewer edits, and nothing written")
	flag.IntVar(&b.edits, "edits", 10_000, "make so `many` edits")
	flag.IntVar(&b.size, "size", 50_000, "of a file of so many `bytes`")
	flag.StringVar(&b.against, "against", "", "an older `build` of emend makes the same edits")
	dir := flag.String("dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	flag.Parse()
	if *quick {
		b.edits, *out = min(b.edits, 400), ""
	}
	if err := b.run(ctx, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, dir, out string) (err error) {
	if b.scratch, err = os.MkdirTemp(dir, "emend-history"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	program := filepath.Join(b.scratch, "emend")
	if err := product.BuildRelease(ctx, program); err != nil {
		return err
	}
	if err := b.addStores(program); err != nil {
		return err
	}
	if err := b.makeEdits(ctx); err != nil {
		return err
	}
	if err := b.measureCosts(ctx); err != nil {
		return err
	}
	if err := b.measurePacking(ctx); err != nil {
		return err
	}
	page := b.page()
	fmt.Print(page)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(page), 0o666)
}

func (b *bench) addStores(program string) error {
	b.stores = []*store{{name: "emend", program: program}}
	if b.against != "" {
		older, err := filepath.Abs(b.against)
		if err != nil {
			return err
		}
		b.stores = append(b.stores, &store{name: "emend, older build", program: older})
	}
	b.git = &store{name: "git, after gc", dir: filepath.Join(b.scratch, "git")}
	for i, s := range b.stores {
		s.dir = filepath.Join(b.scratch, fmt.Sprint("tree", i))
		if err := os.Mkdir(s.dir, 0o777); err != nil {
			return err
		}
	}
	return nil
}

// firstVersion makes a text of lines of words, as long as asked for.
func firstVersion(r *rand.Rand, size int) []string {
	words := strings.Fields("the file has lines of words and numbers that look like those of a program if err return nil func value index name " +
		"for range switch case default string bytes append copy length struct type map list print read write open close")
	var out []string
	for n := 0; n < size; {
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%d", len(out)))
		for range 4 + r.IntN(8) {
			line.WriteString(" " + words[r.IntN(len(words))])
		}
		out = append(out, line.String())
		n += len(line.String()) + 1
	}
	return out
}

// side are the files that are changed once, before the edits or after them.
var side = map[bool][]string{true: {"early.txt", "early-deleted.txt"}, false: {"late.txt", "late-deleted.txt"}}

// makeEdits makes the edits in every store, in turn, and gives the versions to git.
func (b *bench) makeEdits(ctx context.Context) error {
	r := rand.New(rand.NewPCG(1, 2))
	lines := firstVersion(r, b.size)
	for _, s := range b.stores {
		for _, name := range append([]string{"f.txt"}, slices.Concat(side[true], side[false])...) {
			if err := os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				return err
			}
		}
	}
	var stream bytes.Buffer
	addVersion(&stream, 0, lines)
	if err := b.changeSide(ctx, true, lines); err != nil {
		return err
	}
	for i := 1; i <= b.edits; i++ {
		n := r.IntN(len(lines))
		was := lines[n]
		lines[n] = fmt.Sprintf("%d edit %d %x", n, i, r.Uint32())
		for k := range b.stores {
			s := b.stores[(k+i)%len(b.stores)]
			if err := s.edit(ctx, "f.txt", was, lines[n]); err != nil {
				return err
			}
		}
		addVersion(&stream, i, lines)
		if isPower(i) || i == b.edits {
			for _, s := range b.stores {
				if err := s.measure(i, filepath.Join(s.dir, ".emend")); err != nil {
					return err
				}
			}
			if err := b.measureGit(ctx, i, stream.Bytes()); err != nil {
				return err
			}
		}
	}
	return b.changeSide(ctx, false, lines)
}

// changeSide edits one of the side files, and deletes the other.
func (b *bench) changeSide(ctx context.Context, early bool, lines []string) error {
	for _, s := range b.stores {
		text, err := os.ReadFile(filepath.Join(s.dir, side[early][0]))
		if err != nil {
			return err
		}
		old, _, _ := strings.Cut(string(text), "\n")
		if err := s.edit(ctx, side[early][0], old, "changed"); err != nil {
			return err
		}
		if _, err := s.emend(ctx, "rm", side[early][1], "-q"); err != nil {
			return err
		}
	}
	return nil
}

func isPower(n int) bool {
	for n >= 10 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// edit makes one edit, in a process of its own, and notes when the answer came.
func (s *store) edit(ctx context.Context, file, old, text string) error {
	cmd := exec.CommandContext(ctx, s.program, "-C", s.dir, "apply", "-")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", file, old, text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	first := make([]byte, 1)
	_, rerr := io.ReadFull(out, first)
	answer := time.Since(start)
	io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil || rerr != nil {
		return fmt.Errorf("%s: edit %q: %v, %v", s.name, old, err, rerr)
	}
	s.answers, s.ends = append(s.answers, answer), append(s.ends, time.Since(start))
	return nil
}

func (s *store) emend(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.program, append([]string{"-C", s.dir}, args...)...)
	var bad bytes.Buffer
	cmd.Stderr = &bad
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", s.name, strings.Join(args, " "), err, &bad)
	}
	return string(out), nil
}

// measure counts the files of a directory and their bytes.
func (s *store) measure(edits int, dir string) error {
	t := taken{edits: edits}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		is, err := d.Info()
		if err != nil {
			return err
		}
		t.names++
		if first, ok := strings.CutSuffix(p, ".old"); ok {
			if same, err := os.Lstat(first); err == nil && os.SameFile(same, is) {
				return nil // a second name
			}
		}
		t.bytes += is.Size()
		switch filepath.Base(filepath.Dir(p)) {
		case "log":
			t.log += is.Size()
		case "packs":
			t.packs += is.Size()
		}
		return nil
	})
	s.taken = append(s.taken, t)
	return err
}

// addVersion adds a commit with one version to a stream for git fast-import.
func addVersion(w io.Writer, n int, lines []string) {
	text := strings.Join(lines, "\n") + "\n"
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter b <b@example.com> %d +0000\ndata 4\nedit\nM 644 inline f.txt\ndata %d\n%s\n", 1_700_000_000+n, len(text), text)
}

func (b *bench) measureGit(ctx context.Context, edits int, stream []byte) error {
	dir := fmt.Sprint(b.git.dir, edits)
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "fast-import", "--quiet"}, {"-C", dir, "gc", "-q"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Stdin = bytes.NewReader(stream)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[len(args)-1], err, out)
		}
	}
	return b.git.measure(edits, filepath.Join(dir, ".git"))
}
