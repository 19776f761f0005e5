package source

import (
	"context"
	"runtime"
	"sync"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/patch"
)

// ahead reads the files that a patch names before the plan asks for them, in the order of the patch and only a little
// way ahead, so that all processors open and hash files while one places hunks. What it finds is handed out as if it
// had been asked for only then: limits, and the order of refusals, are those of the plan. A nil ahead has nothing.
type ahead struct {
	named  []*patch.Section // each path once
	fetch  func(*patch.Section) fetched
	todo   chan int         // numbers of batches
	done   []chan []fetched // by the number of a batch, modulo how many are under way
	ended  context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	handed int // how many were handed out
	batch  []fetched
}

// fetched is what a path has.
type fetched struct {
	entry   guard.Entry
	content *guard.Content // of a file that is read with the look
	err     error
	failed  any // what looking at it panicked with: who asks for it gets it, and a server lives on
}

const (
	aheadBatch   = 16        // how many files one goroutine takes at a time: waking one costs more than reading a file
	aheadBatches = 4         // how many batches are under way
	aheadBytes   = 256 << 10 // the largest file that is read before it is asked for
)

// ReadAhead begins to read what sections name, if they are many. A policy that wants a person to be asked is met in the
// order of the plan.
func (r *Reader) ReadAhead(ctx context.Context, sections []patch.Section, absolute bool) {
	if r.ahead != nil || len(sections) < aheadBatch/2 || r.Most > 0 || r.Asks != nil && r.W.Guard.HasAskRules() {
		return
	}
	a := &ahead{todo: make(chan int, aheadBatches), fetch: func(s *patch.Section) fetched {
		most := int64(aheadBytes)
		if s.Op == patch.Add {
			most = -1 // what is there is most often a reason to refuse
		}
		e, c, err := r.Batch.Fetch(ctx, s.Path, r.ask(absolute), most)
		return fetched{entry: e, content: c, err: err}
	}}
	a.ended, a.end = context.WithCancel(ctx)
	seen := make(map[string]bool, len(sections))
	for i := range sections {
		if s := &sections[i]; !seen[s.Path] {
			seen[s.Path] = true
			a.named = append(a.named, s)
		}
	}
	for i := range aheadBatches {
		a.done = append(a.done, make(chan []fetched, 1))
		a.ask(i)
	}
	for range min(aheadBatches, runtime.GOMAXPROCS(0)) {
		a.work.Go(a.run)
	}
	r.ahead = a
}

// ask has a batch read, if there is one of this number.
func (a *ahead) ask(i int) {
	if i*aheadBatch < len(a.named) {
		a.todo <- i
	}
}

func (a *ahead) run() {
	for i := range a.todo {
		some := a.named[i*aheadBatch : min(len(a.named), (i+1)*aheadBatch)]
		out := make([]fetched, 0, len(some))
		for _, s := range some {
			if a.ended.Err() != nil {
				break
			}
			out = append(out, a.try(s))
		}
		a.done[i%aheadBatches] <- out
	}
}

func (a *ahead) try(s *patch.Section) (f fetched) {
	defer func() { f.failed = recover() }()
	return a.fetch(s)
}

// next returns what p has, if it is the path that comes next.
func (a *ahead) next(p string) *fetched {
	if a == nil || a.handed == len(a.named) || a.named[a.handed].Path != p {
		return nil
	}
	i, k := a.handed/aheadBatch, a.handed%aheadBatch
	if k == 0 {
		a.batch = <-a.done[i%aheadBatches]
		a.ask(i + aheadBatches)
	}
	if k >= len(a.batch) {
		a.handed = len(a.named) // it was ended, and no other batch comes
		return nil
	}
	a.handed++
	if f := a.batch[k].failed; f != nil {
		panic(f)
	}
	return &a.batch[k]
}

// stop ends the reading, and waits for it.
func (a *ahead) stop() {
	if a == nil {
		return
	}
	a.end()
	close(a.todo)
	a.work.Wait()
}
