package mcp

import (
	"context"
	"math"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// progress tells a client that asked for it how far a call is. What the client does not read in time is left out: only
// the newest waits, and the call never does.
type progress struct {
	ctx     context.Context
	session *sdk.ServerSession
	token   any
	newest  chan *sdk.ProgressNotificationParams
	over    chan struct{}

	mu   sync.Mutex
	last int
	when time.Time // a step of a patch was told
}

// patchEvery is how often the progress of a patch is told. That of other calls comes no more often by itself.
const patchEvery = 100 * time.Millisecond

// progressOf returns the context and the options under which a call tells its progress, and what ends the telling: nothing
// may follow the result.
func (s *Server) progressOf(ctx context.Context, req *sdk.CallToolRequest) (context.Context, func(done, total int), func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default:
		return ctx, nil, func() {}
	}
	p := &progress{ctx: ctx, session: req.Session, token: token, newest: make(chan *sdk.ProgressNotificationParams, 1),
		over: make(chan struct{}), when: time.Now()}
	go p.tell()
	return emend.WithProgress(ctx, p.at), p.staged, p.end
}

// staged is how many files of a patch are staged.
func (p *progress) staged(done, total int) {
	p.mu.Lock()
	due := time.Since(p.when) >= patchEvery
	if due {
		p.when = time.Now()
	}
	p.mu.Unlock()
	if due {
		p.at(done, total, "files are staged")
	}
}

// at is how far the call is. It must only grow: a step that counts anew is told when it has come further.
func (p *progress) at(done, total int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done <= p.last {
		return
	}
	p.last = done
	n := &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: float64(done), Total: float64(total), Message: report.Cut(report.OneLine(what))}
	select {
	case <-p.newest:
	default:
	}
	p.newest <- n
}

func (p *progress) tell() {
	defer close(p.over)
	for n := range p.newest {
		if p.session.NotifyProgress(p.ctx, n) != nil {
			return
		}
	}
}

// end tells no more. A client that does not read is not waited for: what hangs before the result is before it.
func (p *progress) end() {
	p.mu.Lock()
	p.last = math.MaxInt
	close(p.newest)
	p.mu.Unlock()
	select {
	case <-p.over:
	case <-time.After(patience):
		for range p.newest { // what waits behind it would come after the result
		}
	}
}
