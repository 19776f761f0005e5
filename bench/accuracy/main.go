// Command accuracy measures where damaged patches land. It writes real changes of real files as a careful author does, damages
// them the way models do, and applies them: with emend, in process and as the released program, and with the programs that
// people use instead. It counts how many land right, are refused, or land wrong and are called a success, and how many land
// after one repair by a client that does what the refusal says, without thinking.
//
//	go -C bench run ./accuracy -out accuracy                    # RESULTS.md and WRONG.md, in less than 20 minutes
//	go -C bench run ./accuracy -quick                           # a sample; fails if emend lands anything wrong
//	go -C bench run ./accuracy -corpus second -peers=false -out accuracy  # SECOND.md: the same of other packages, without the programs
//	go -C bench run ./accuracy -half tune -peers=false          # what may be looked at while the engine is changed
//	go -C bench run ./accuracy -formats -out accuracy           # FORMATS.md: the same hunks in every format
//	go -C bench run ./accuracy -show refused -system emend -kinds elided -n 3
//
// Half of the packages are for tuning, and results are reported for the other half: see half.go.
//
// It does not measure models: how often they make which mistake is not known here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	debug.SetGCPercent(400) // most of the memory is texts that are judged once; some 100 MB are live
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conf, err := flags(os.Args[1:])
	if err == nil {
		err = run(ctx, conf, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config, stdout, stderr io.Writer) (err error) {
	start := time.Now()
	if c.scratch, err = os.MkdirTemp("", "accuracy"); err != nil {
		return err
	}
	defer os.RemoveAll(c.scratch)
	b := &bench{config: c, log: stderr, systems: profiles}
	if c.show != nil && b.ours(c.show.system) && !c.formats {
		b.systems = slices.DeleteFunc(slices.Clone(profiles), func(p profile) bool { return p.name != c.show.system })
	}
	measure := b.measure
	if c.formats {
		measure = b.measureFormats
	}
	if c.show != nil {
		c.show.w = stdout
		if err = measure(ctx); errors.Is(err, errShown) {
			return nil
		}
		return err
	}
	if err := measure(ctx); err != nil {
		return err
	}
	b.took = time.Since(start)
	if c.formats {
		return b.writeFormats(stdout)
	}
	if err := b.write(stdout); err != nil {
		return err
	}
	if err := b.verdict(); err != nil || !c.quick {
		return err
	}
	return b.formatsSlice(ctx, stdout)
}

// measure runs everything.
func (b *bench) measure(ctx context.Context) (err error) {
	if b.corpus, err = readCorpus(ctx, b.which, b.half, b.log); err != nil {
		return err
	}
	if b.peersToo {
		if b.peers, err = findPeers(ctx, b.scratch); err != nil {
			return err
		}
	}
	if err := b.scan(ctx); err != nil || b.show != nil && b.ours(b.show.system) {
		return err
	}
	if b.beside, err = b.ask(ctx, "every kind alone, everybody", b.damages, b.perKind, b.peers); err != nil {
		return err
	}
	if b.pairs = newTally(); b.perPair == 0 {
		return nil
	}
	peers := b.peers
	if b.quick {
		peers = nil
	}
	b.pairs, err = b.ask(ctx, "pairs of kinds", kindPairs(), b.perPair, peers)
	return err
}

// ours reports whether a system is a profile of emend.
func (b *bench) ours(system string) bool {
	return slices.ContainsFunc(b.systems, func(p profile) bool { return p.name == system })
}

// write prints the page, or writes it and the list of wrong results to files.
func (b *bench) write(stdout io.Writer) error {
	page, wrongs := b.page(), b.wrongs()
	if b.quick {
		fmt.Fprint(stdout, b.slice())
	} else {
		fmt.Fprint(stdout, page)
	}
	if b.out == "" {
		return nil
	}
	if b.which == "second" {
		return os.WriteFile(filepath.Join(b.out, "SECOND.md"), []byte(page), 0o666)
	}
	if err := os.WriteFile(filepath.Join(b.out, "RESULTS.md"), []byte(page), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, "WRONG.md"), []byte(wrongs), 0o666)
}

// verdict returns an error if anything landed where it must not.
func (b *bench) verdict() error {
	bad := b.alone.wrong(mustBeRight)
	bad = append(bad, b.beside.wrong(mustBeRight)...)
	if bad = append(bad, b.pairs.wrong(mustBeRight)...); len(bad) > 0 {
		return fmt.Errorf("landed wrong:\n%s", strings.Join(bad, "\n"))
	}
	return nil
}
