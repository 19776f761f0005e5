package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sample is what was measured at one moment: of the server that runs all the time, and of the store.
type sample struct {
	memory      int64 // resident bytes of the server; 0 where the system does not say
	descriptors int64 // open in the server
	slots       int64 // bytes of the history
	slotFiles   int64
	staging     int64 // files
	log         int64 // bytes. It grows with every record and is never cut.
}

const samples = 48

// measure samples until the time is over.
func (w *world) measure(ctx context.Context) {
	for sleep(ctx, w.during/(samples+1)) {
		w.samples = append(w.samples, w.sample())
	}
}

func (w *world) sample() sample {
	store := filepath.Join(w.dir, ".git/emend")
	s := sample{memory: memory(w.steady.pid()), descriptors: int64(descriptors(w.steady.pid()))}
	s.slots, s.slotFiles = disk(filepath.Join(store, "slots"))
	s.log, _ = disk(filepath.Join(store, "log"))
	_, s.staging = disk(filepath.Join(store, "staging"))
	return s
}

func memory(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.ParseInt(strings.Fields(after + " 0")[0], 10, 64)
	return n << 10
}

func descriptors(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// disk returns the bytes and the number of files below dir. Files come and go meanwhile.
func disk(dir string) (bytes, files int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if fi, err := d.Info(); err == nil {
			bytes, files = bytes+fi.Size(), files+1
		}
		return nil
	})
	return bytes, files
}

// bound says how much the least of a figure may grow from the second quarter of the time to the last: by a share, and by an
// amount. What goes up and down with the work comes back to the least; what leaks does not.
type bound struct {
	name  string
	of    func(sample) int64
	unit  int64
	share float64
	most  int64
}

var bounds = []bound{
	{"memory of the server, MiB", func(s sample) int64 { return s.memory }, 1 << 20, 0.15, 16 << 20},
	{"descriptors of the server", func(s sample) int64 { return s.descriptors }, 1, 0.1, 16},
	{"history, KiB", func(s sample) int64 { return s.slots }, 1 << 10, 0.25, 1 << 20},
	{"files of the history", func(s sample) int64 { return s.slotFiles }, 1, 0.25, 500},
	{"files being staged", func(s sample) int64 { return s.staging }, 1, 0.25, 100},
}

// judgeSamples prints each figure at the beginning, in the middle and at the end, and complains about those that grew.
func (w *world) judgeSamples() {
	if len(w.samples) < samples/2 {
		w.complain("%d samples: too few to tell what grew", len(w.samples))
		return
	}
	if w.samples[0].memory == 0 {
		w.say("NOT RUN: memory and descriptors: this system does not say what a process has")
	}
	for _, b := range bounds {
		second, last, grew := b.judge(w.samples)
		at := func(i int) int64 { return b.of(w.samples[i]) / b.unit }
		w.say("%s: %d at first, %d in the middle, %d at the end; at least %d in the second quarter, %d in the last", b.name,
			at(0), at(len(w.samples)/2), at(len(w.samples)-1), second/b.unit, last/b.unit)
		if grew {
			w.complain("%s: grew from %d to %d", b.name, second/b.unit, last/b.unit)
		}
	}
	w.say("log, KiB: %d at first, %d at the end", w.samples[0].log>>10, w.samples[len(w.samples)-1].log>>10)
}

// judge returns the least figure of the second quarter and of the last, and whether it grew by more than is allowed.
func (b bound) judge(all []sample) (second, last int64, grew bool) {
	least := func(part []sample) int64 {
		n := b.of(part[0])
		for _, s := range part {
			n = min(n, b.of(s))
		}
		return n
	}
	quarter := len(all) / 4
	second, last = least(all[quarter:2*quarter]), least(all[3*quarter:])
	return second, last, last > second+int64(b.share*float64(second))+b.most
}
