package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// loan is one order to a process that lends a recorded disk to another program's proof.
type loan struct {
	Do     string // record, note, stop or next
	N      int    // note: how much was acknowledged
	Seed   uint64 // stop: of the states that follow
	Sector int64  // stop: a power cut may leave a part of a write, in units of so many bytes
}

// lent is the answer.
type lent struct {
	Err        string `json:",omitempty"`
	Flushes    int    // stop: how often the disk was flushed
	Writes     int    // stop
	N          int    // next: what was acknowledged before the power went
	Kept, Lost int    // next: pieces in flight that are on the disk, and that are not
}

// lend serves a disk as the file "disk" in dir, and takes orders until in ends. Whoever borrows it mounts it in other processes than this one.
func lend(dir string, size int64, in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt, unix.SIGTERM) // the borrower unmounts first, and then closes in
	d := newDisk(size)
	server, err := serve(dir, map[string]*disk{"disk": d})
	if err != nil {
		return err
	}
	defer func() {
		for range 200 { // the device that the borrower made of the disk may be open for a moment
			if server.Unmount() == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	if err := answers.Encode(lent{}); err != nil {
		return err
	}
	var base *image
	var next func() crash
	for {
		var o loan
		if err := orders.Decode(&o); err != nil {
			return ignore(err, io.EOF)
		}
		var a lent
		switch {
		case o.Do == "record":
			base = d.record()
		case o.Do == "note":
			d.note(mark{Acked: o.N})
		case o.Do == "stop":
			stream := d.recorded()
			a.Flushes, a.Writes = countFlushes(stream), len(stream)
			if next = states(base, sectors(stream, o.Sector), rand.New(rand.NewPCG(o.Seed, 2))); next == nil {
				err = errors.New("the recording has no writes")
			}
		case o.Do == "next" && next != nil:
			c := next()
			a.N, a.Kept, a.Lost = c.mark.Acked, c.kept, c.lost
			d.load(c.img)
		default:
			err = fmt.Errorf("no order is called %q now", o.Do)
		}
		if err != nil {
			a.Err = err.Error()
		}
		if err := errors.Join(err, answers.Encode(a)); err != nil {
			return err
		}
	}
}

// states returns a function that returns a state at a random moment each time, or nil if there are none: one in four has all writes in flight, one none, the others a part.
func states(base *image, stream []event, rng *rand.Rand) func() crash {
	list := slices.DeleteFunc(epochs(base, stream), func(e epoch) bool { return e.writes() < 2 })
	if len(list) == 0 {
		return nil
	}
	return func() crash {
		e := list[rng.IntN(len(list))]
		at := moment(e, rng)
		switch rng.IntN(4) {
		case 0:
			return e.cut(at, none)
		case 1:
			return e.cut(at, every)
		default:
			return e.cut(at, subset(rng))
		}
	}
}
