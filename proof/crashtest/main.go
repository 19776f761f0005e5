// Command crashtest simulates power cuts under emend, a few hundred on each of several real file systems.
//
//	go -C proof run ./crashtest                                # ext4, xfs, btrfs; 500 states each
//	go -C proof run ./crashtest -fs btrfs -states 3000 -seed 7
//	go -C proof run ./crashtest -writer landing                # what commands do over a layer, with whole directories
//	go -C proof run ./crashtest -writer packing                # patches, and the packing of old changes
//	go -C proof run ./crashtest -writer indexing               # patches, each of which writes an index of the log
//	go -C proof run ./crashtest -selftest                      # everything that it must catch
//
// It serves a disk from memory, as a file of a FUSE file system, and the kernel makes a block device of that file. While the
// real program applies patch after patch on a file system on this device, every write and every flush is recorded. A power
// cut keeps everything that was written before the last flush, and any part of what was written since. So a state is made
// for every flush with none and with all of the writes in flight, and others with random parts of them, in blocks of 4 KiB.
// Each state is mounted, which replays the file system's journal, and "emend recover" runs. Then
//
//   - the tree must be, in every name, mode and byte, the one after the last acknowledged patch, or the one after the patch
//     that was being applied;
//   - the log must be a chain, with as many commits as the tree has;
//   - the store must still have everything that a commit replaced or deleted;
//   - a second recovery must find nothing to do, and the next patch must apply.
//
// It proves nothing about disks that lie about flushes (-drop-flushes shows what they do) or that tear a block, about
// transactions without syncs (--durability=none), or about other file systems and kernels. With -again the power is cut a
// second time, during the recovery.
//
// It needs root, FUSE and loop devices. It mounts in a mount namespace of its own. Where it cannot run it prints the reason,
// and fails unless -allow-missing is given.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/plant"
)

// config is the parsed flags.
type config struct {
	fs      []filesystem
	states  int
	seed    uint64
	t       int
	writer  string
	plant   string
	emend   string
	drop    bool
	again   bool
	self    bool
	missing bool
	jobs    int
	write   string
	keep    string
}

// A round is one writer on one file system.
type round struct {
	fs       filesystem
	writer   string
	plant    string
	drop     bool
	again    bool // cut the power a second time, in the recovery
	mustFail bool
}

// rounds returns the rounds that c selects.
func (c config) rounds() []round {
	var out []round
	for _, f := range c.fs {
		if c.self {
			out = append(out, selftest(f)...)
			continue
		}
		r := round{fs: f, writer: c.writer, plant: c.plant, drop: c.drop, again: c.again}
		r.mustFail = !isEmend(r.writer) || r.plant != "" || r.drop
		out = append(out, r)
	}
	return out
}

// isEmend reports whether a writer is the program under test: a process for each patch, one for all, one that lands what a command
// did over a layer, one that packs the history after each patch, or one whose log gets an index with each.
func isEmend(writer string) bool {
	return slices.Contains([]string{"emend", "server", "landing", "packing", "indexing"}, writer)
}

// selftest lists what must be caught on f, or the test proves nothing. Other planted bugs are for other tests: a record that is
// written late, for example, reaches the disk together with the changes that it should precede.
func selftest(f filesystem) []round {
	out := []round{
		{fs: f, writer: "plain"},
		{fs: f, writer: "rename"},
		{fs: f, writer: "emend", drop: true},
		{fs: f, writer: "emend", plant: string(plant.NoStageSync)},
		{fs: f, writer: "landing", plant: string(plant.NoStageSync)},
	}
	// ext4 and xfs have one journal for all directory entries, and the next sync of anything includes them.
	if f.fsyncIsNarrow {
		out = append(out, round{fs: f, writer: "emend", plant: string(plant.NoDirSync)})
	}
	if f.fsck != nil {
		out = append(out, round{fs: f, writer: "emend", plant: string(plant.NoLink)})
	}
	for i := range out {
		out[i].mustFail = true
	}
	return out
}

// String names the round in a table.
func (r round) String() string {
	switch {
	case r.plant != "":
		return r.writer + " with " + r.plant
	case r.drop:
		return r.writer + ", flushes dropped"
	case r.again:
		return r.writer + ", cut again in the recovery"
	}
	return r.writer
}

// helperArgument is the only argument of a child process that handles the file system. See [helper].
const helperArgument = "helper"

// lendArgument is the first argument of a process that lends a disk to another program's proof. The second is an empty directory.
const lendArgument = "lend"

// putArgument is the first argument of a process that is a command below "emend run": it makes one transaction where it stands.
const putArgument = "put"

func main() {
	if len(os.Args) == 2 && os.Args[1] == helperArgument {
		beHelper()
	}
	if len(os.Args) == 3 && os.Args[1] == lendArgument {
		if err := lend(os.Args[2], 512*mib, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "crashtest: lend:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == putArgument {
		if err := put(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "crashtest: put:", err)
			os.Exit(1)
		}
		return
	}
	c, err := flags(os.Args[1:])
	if err == nil {
		err = run(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crashtest:", err)
		os.Exit(1)
	}
}

func flags(args []string) (config, error) {
	var c config
	f := flag.NewFlagSet("crashtest", flag.ExitOnError)
	f.IntVar(&c.states, "states", 500, "crash states for each file system; both ends of every flush are always among them")
	f.Uint64Var(&c.seed, "seed", 1, "which patches, and which random parts of what was in flight")
	f.IntVar(&c.t, "patches", 6, "how many patches are applied while the disk records")
	f.StringVar(&c.writer, "writer", "emend", "who writes: emend, server (emend as one process for all patches), landing (emend run over a layer), packing (emend packs after each patch), indexing (emend writes an index of the log with each patch), or a naive one: plain (write in place), rename (file by file)")
	f.StringVar(&c.plant, "plant", "", "build emend with this known bug; the run fails unless it is caught\n"+bugs())
	f.StringVar(&c.emend, "emend", "", "the program under test; none is to build ./cmd/emend")
	f.BoolVar(&c.drop, "drop-flushes", false, "forget the flushes, as a disk that lies; the run fails unless that is caught")
	f.BoolVar(&c.again, "again", false, "cut the power a second time, during the recovery")
	f.BoolVar(&c.self, "selftest", false, "run everything that must be caught")
	f.BoolVar(&c.missing, "allow-missing", false, "exit with 0 where a file system cannot be run on")
	f.IntVar(&c.jobs, "jobs", 2, "how many file systems at a time")
	f.StringVar(&c.write, "write", "", "put the table between the marks in this Markdown file")
	f.StringVar(&c.keep, "keep", "", "keep the disk of the first bad states in this directory")
	names := f.String("fs", "ext4,xfs,btrfs", "which file systems; also ext4-nojournal and ext2")
	f.Parse(args)
	var err error
	if c.fs, err = pick(*names); err != nil {
		return c, err
	}
	if c.write != "" && (!isEmend(c.writer) || c.plant != "" || c.drop) {
		return c, fmt.Errorf("-write is for what is promised, with -again and with -selftest")
	}
	if c.states < 1 || c.t < 1 || c.jobs < 1 {
		return c, fmt.Errorf("-states, -patches and -jobs must be at least 1")
	}
	return c, nil
}

func bugs() string {
	var names []string
	for _, b := range plant.Bugs {
		names = append(names, string(b))
	}
	return strings.Join(names, ", ")
}
