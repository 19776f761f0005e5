// Command layers times a command that makes many files, alone and over a layer that lands, in pairs, on one file system.
//
//	go -C bench run ./layers                             # tar unpacks 40,000 files into node_modules
//	go -C bench run ./layers -dir DIR                    # on the file system of DIR
//	go -C bench run ./layers -from PROJECT -- npm ci     # a command of one's own, in copies of PROJECT
//
// Before each run the copy is made anew, without node_modules, and the file system is synced. It prints both times of each
// pair, and the median of their ratios.
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
	var ratios []float64
	for i := range b.rounds {
		alone, err := b.once(ctx, filepath.Join(scratch, "alone"), command)
		if err != nil {
			return err
		}
		over, err := b.once(ctx, filepath.Join(scratch, "layer"), append([]string{b.emend, "run", "--mode", "overlay", "--"}, command...))
		if err != nil {
			return err
		}
		ratios = append(ratios, over.Seconds()/alone.Seconds())
		fmt.Printf("pair %d: alone %.2f s, over a layer that lands %.2f s, %.2f x\n", i+1, alone.Seconds(), over.Seconds(), ratios[i])
	}
	slices.Sort(ratios)
	fmt.Printf("median %.2f x of %d pairs (%.2f to %.2f): %s\n", ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1], strings.Join(command, " "))
	return nil
}

// once lays a tree out anew and times a command in it.
func (b *bench) once(ctx context.Context, dir string, command []string) (time.Duration, error) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return 0, err
	}
	script := `git init -q . && printf 'node_modules/\n' > .gitignore`
	if b.from != "" {
		script = `cd "$1" && tar cf - --exclude=./node_modules --exclude=./.git/emend . | tar xf - -C "$2" && cd "$2" && (test -e .git || git init -q .)`
	}
	prepare := exec.CommandContext(ctx, "sh", "-ec", script+" && sync -f .", "sh", b.from, dir)
	prepare.Dir = dir
	if out, err := prepare.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
	}
	return took, nil
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
