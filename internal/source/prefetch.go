package source

import (
	"context"
	"runtime"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/patch"
)

// prefetcher reads the files that a patch names before the plan asks for them, in the order of the patch and only a few
// batches in advance. All processors open and hash files while one places hunks. Its results count only when the plan
// asks for them: limits apply, and refusals appear, in the order of the plan. A nil prefetcher has no results.
type prefetcher struct {
	sections []*patch.Section // one for each path
	fetch    func(*patch.Section) fetched
	todo     chan int         // numbers of batches
	done     []chan []fetched // results of batch i, at i modulo prefetchBatches
	ctx      context.Context
	cancel   context.CancelFunc
	workers  panics.Group
	returned int // how many results next has returned
	batch    []fetched
}

// fetched holds what a path has.
type fetched struct {
	entry   guard.Entry
	content *guard.Content // nil when the file was not read
	err     error
	panic   *panics.Value // the panic of fetch: next repeats it in the caller's goroutine
}

const (
	prefetchSize     = 16        // files in a batch: waking a goroutine costs more than reading a file
	prefetchBatches  = 4         // batches under way
	prefetchMaxBytes = 256 << 10 // larger files are read when they are asked for
)

// Prefetch begins to read the files that sections name, if there are many. It reads nothing when the policy may have a
// person asked about what is read, nor when MaxBytes limits what is read.
func (r *Reader) Prefetch(ctx context.Context, sections []patch.Section, absolute bool) {
	if r.prefetcher != nil || len(sections) < prefetchSize/2 || r.MaxBytes > 0 || r.Asked.CanAsk && r.W.Guard.HasAskRules() {
		return
	}
	p := &prefetcher{todo: make(chan int, prefetchBatches), fetch: func(s *patch.Section) fetched {
		maxBytes := int64(prefetchMaxBytes)
		if s.Op == patch.Add {
			maxBytes = -1 // a file that exists is most often a reason to refuse
		}
		e, c, err := r.Batch.Fetch(ctx, s.Path, r.request(absolute), maxBytes)
		return fetched{entry: e, content: c, err: err}
	}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	seen := make(map[string]bool, len(sections))
	for i := range sections {
		if s := &sections[i]; !seen[s.Path] {
			seen[s.Path] = true
			p.sections = append(p.sections, s)
		}
	}
	for i := range prefetchBatches {
		p.done = append(p.done, make(chan []fetched, 1))
		p.schedule(i)
	}
	for range min(prefetchBatches, runtime.GOMAXPROCS(0)) {
		p.workers.Go(p.work)
	}
	r.prefetcher = p
}

// StopPrefetch ends what Prefetch began. The next patch gets its own: one patch has one set of rules for paths.
func (r *Reader) StopPrefetch() {
	r.prefetcher.stop()
	r.prefetcher = nil
}

// schedule queues batch i, if there is one.
func (p *prefetcher) schedule(i int) {
	if i*prefetchSize < len(p.sections) {
		p.todo <- i
	}
}

// work fetches batches until todo is closed. After a cancellation a batch is short.
func (p *prefetcher) work() {
	for i := range p.todo {
		batch := p.sections[i*prefetchSize : min(len(p.sections), (i+1)*prefetchSize)]
		out := make([]fetched, 0, len(batch))
		for _, s := range batch {
			if p.ctx.Err() != nil {
				break
			}
			out = append(out, p.fetchRecovering(s))
		}
		p.done[i%prefetchBatches] <- out
	}
}

func (p *prefetcher) fetchRecovering(s *patch.Section) (f fetched) {
	defer func() { f.panic = panics.Recovered(recover()) }()
	return p.fetch(s)
}

// next returns the result for a path if it is the next in order; nil otherwise.
func (p *prefetcher) next(path string) *fetched {
	if p == nil || p.returned == len(p.sections) || p.sections[p.returned].Path != path {
		return nil
	}
	i, k := p.returned/prefetchSize, p.returned%prefetchSize
	if k == 0 {
		p.batch = <-p.done[i%prefetchBatches]
		p.schedule(i + prefetchBatches)
	}
	if k >= len(p.batch) {
		p.returned = len(p.sections) // it was cancelled: no batch follows
		return nil
	}
	p.returned++
	if v := p.batch[k].panic; v != nil {
		panic(v)
	}
	return &p.batch[k]
}

// stop cancels the reading, and waits until it has ended.
func (p *prefetcher) stop() {
	if p == nil {
		return
	}
	p.cancel()
	close(p.todo)
	p.workers.Wait()
}
