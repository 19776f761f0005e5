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
	sent    chan struct{}

	mu   sync.Mutex
	last int
	lastStaged time.Time // a step of a patch was told
}

// patchEvery is how often the progress of a patch is told. That of other calls comes no more often by itself.
const stagedEvery = 100 * time.Millisecond

// progressOf returns the context and the options under which a call tells its progress, and what ends the telling: nothing
// may follow the result.
func (s *Server) startProgress(ctx context.Context, req *sdk.CallToolRequest) (context.Context, func(done, total int), func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default:
		return ctx, nil, func() {}
	}
	p := &progress{ctx: ctx, session: req.Session, token: token, newest: make(chan *sdk.ProgressNotificationParams, 1),
		sent: make(chan struct{}), lastStaged: time.Now()}
	go p.send()
	return emend.WithProgress(ctx, p.update), p.staged, p.stop
}

// staged is how many files of a patch are staged.
func (p *progress) staged(done, total int) {
	p.mu.Lock()
	due := time.Since(p.lastStaged) >= stagedEvery
	if due {
		p.lastStaged = time.Now()
	}
	p.mu.Unlock()
	if due {
		p.update(done, total, "files are staged")
	}
}

// at is how far the call is. It must only grow: a step that counts anew is told when it has come further.
func (p *progress) update(done, total int, what string) {
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

func (p *progress) send() {
	defer close(p.sent)
	for n := range p.newest {
		if p.session.NotifyProgress(p.ctx, n) != nil {
			return
		}
	}
}

// end tells no more. A client that does not read is not waited for: what hangs before the result is before it.
func (p *progress) stop() {
	p.mu.Lock()
	p.last = math.MaxInt
	close(p.newest)
	p.mu.Unlock()
	select {
	case <-p.sent:
	case <-time.After(clientPatience):
		for range p.newest { // what waits behind it would come after the result
		}
	}
}
