// Command layers times a command that makes many files on one file system, in turn: alone, with a sync of the file system after
// it, over an overlay of the kernel without emend, whose layer stays where it is, and over a layer of emend that lands, which is durable then.
//
//	go -C bench run ./layers                             # tar unpacks 40,000 files into node_modules
//	go -C bench run ./layers -dir DIR                    # on the file system of DIR
//	go -C bench run ./layers -from PROJECT -- npm ci     # a command of one's own, in copies of PROJECT
//
// Before each run the copy is made anew, without node_modules, and the file system is synced. It prints the times of each round, on the
// clock and of the processor, and the median of their ratios to those of the command alone. Without root it needs user namespaces.
package main

import (
	"archive/tar"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

func main() {
	b := &bench{}
	flag.IntVar(&b.rounds, "rounds", 5, "run `so many` pairs")
	flag.IntVar(&b.files, "files", 40_000, "unpack `so many` files")
	flag.StringVar(&b.dir, "dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	flag.StringVar(&b.from, "from", "", "run the command in copies of this `project`")
	flag.Parse()
	if err := b.run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "layers:", err)
		os.Exit(1)
	}
}

type bench struct {
	rounds, files int
	dir, from     string
	emend         string
}

func (b *bench) run(ctx context.Context, command []string) error {
	scratch, err := os.MkdirTemp(b.dir, "emend-layers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	b.emend = filepath.Join(scratch, "emend")
	if err := product.Build(ctx, b.emend); err != nil {
		return err
	}
	if len(command) == 0 {
		archive := filepath.Join(scratch, "packages.tar")
		if err := writePackages(archive, b.files); err != nil {
			return err
		}
		command = []string{"tar", "xf", archive}
	}
	var ratios, busy [len(ways)][]float64
	for i := range b.rounds {
		var alone cost
		for k, w := range ways {
			c, err := b.once(ctx, filepath.Join(scratch, "tree"), w.line(b.emend, filepath.Join(scratch, "bare"), command))
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if k == 0 {
				alone = c
			}
			ratios[k] = append(ratios[k], c.clock.Seconds()/alone.clock.Seconds())
			busy[k] = append(busy[k], c.processor.Seconds()/alone.processor.Seconds())
			fmt.Printf("round %d: %-32s %6.2f s, processor %6.2f s, %.2f x and %.2f x\n", i+1, w.name, c.clock.Seconds(), c.processor.Seconds(), ratios[k][i], busy[k][i])
		}
	}
	fmt.Printf("\nmedians of %d rounds: %s\n", b.rounds, strings.Join(command, " "))
	for k, w := range ways {
		fmt.Printf("%-32s on the clock %s, processor %s\n", w.name, spread(ratios[k]), spread(busy[k]))
	}
	return nil
}

func spread(all []float64) string {
	slices.Sort(all)
	return fmt.Sprintf("%.2f x (%.2f to %.2f)", all[len(all)/2], all[0], all[len(all)-1])
}

type cost struct{ clock, processor time.Duration }

// way is a way to run a command in the current directory.
type way struct {
	name string
	line func(emend, scratch string, command []string) []string
}

var ways = [...]way{
	{"the command alone", func(_, _ string, command []string) []string { return command }},
	{"the command, then a sync", func(_, _ string, command []string) []string {
		return append([]string{"sh", "-ec", `"$@" && exec sync -f .`, "sh"}, command...)
	}},
	{"over an overlay without emend", func(_, scratch string, command []string) []string {
		flags, options := "-m", "redirect_dir=on,metacopy=off,index=off,volatile"
		if os.Getuid() != 0 {
			flags, options = "-Urm", "userxattr,volatile"
		}
		script := `mkdir "$0/up" "$0/work" && mount -t overlay overlay -o "lowerdir=$PWD,upperdir=$0/up,workdir=$0/work,` + options + `" "$PWD" && cd "$PWD" && exec "$@"`
		return append([]string{"unshare", flags, "sh", "-ec", script, scratch}, command...)
	}},
	{"over a layer that lands", func(emend, _ string, command []string) []string {
		return append([]string{emend, "run", "--mode", "overlay", "--"}, command...)
	}},
}

// once lays a tree out anew and times a command in it.
func (b *bench) once(ctx context.Context, dir string, command []string) (c cost, err error) {
	bare := filepath.Join(filepath.Dir(dir), "bare")
	if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(bare), os.MkdirAll(dir, 0o755), os.MkdirAll(bare, 0o755)); err != nil {
		return c, err
	}
	script := `git init -q . && printf 'node_modules/\n' > .gitignore`
	if b.from != "" {
		script = `cd "$1" && tar cf - --exclude=./node_modules --exclude=./.git/emend . | tar xf - -C "$2" && cd "$2" && (test -e .git || git init -q .)`
	}
	prepare := exec.CommandContext(ctx, "sh", "-ec", script+" && sync -f .", "sh", b.from, dir)
	prepare.Dir = dir
	if out, err := prepare.CombinedOutput(); err != nil {
		return c, fmt.Errorf("%w: %s", err, out)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	c.clock = time.Since(began)
	if err != nil {
		return c, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
	}
	c.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c, nil
}

// writePackages writes an archive of packages as a registry's are: many small files, a few large ones, 50 in each.
func writePackages(name string, files int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // closed below, where it counts
	w, r := tar.NewWriter(f), rand.New(rand.NewPCG(1, 1))
	text := strings.Repeat("module.exports = require('./lib');\n", 8000)
	for i := range files {
		size := min(len(text), int(200*1/(1-r.Float64()*0.999)))
		p := fmt.Sprintf("node_modules/package%d/file%d.js", i/50, i%50)
		if i%3 > 0 {
			p = fmt.Sprintf("node_modules/package%d/lib/part%d/file%d.js", i/50, i%5, i%50)
		}
		if err := w.WriteHeader(&tar.Header{Name: p, Mode: 0o644, Size: int64(size), ModTime: time.Unix(1_700_000_000, 0)}); err != nil {
			return err
		}
		if _, err := w.Write([]byte(text[:size])); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), f.Close())
}
