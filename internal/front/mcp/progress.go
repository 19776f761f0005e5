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

// progress tells a client that asked for it how far a call is. It never blocks the call: only the newest notification
// waits to be sent, and a client that reads slowly misses the others.
type progress struct {
	ctx     context.Context
	session *sdk.ServerSession
	token   any
	newest  chan *sdk.ProgressNotificationParams
	sent    chan struct{}

	mu         sync.Mutex
	last       int
	lastStaged time.Time // when staged last told something
}

// stagedEvery is the shortest time between two notifications about a patch. Other calls report less often by
// themselves.
const stagedEvery = 100 * time.Millisecond

// startProgress returns the context and the callback through which a call reports its progress. The caller must call
// the last result before it sends the result of the call, since no notification may follow that.
func (s *Server) startProgress(ctx context.Context, req *sdk.CallToolRequest) (context.Context, func(done, total int), func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default:
		return ctx, nil, func() {}
	}
	p := &progress{ctx: ctx, session: req.Session, token: token, newest: make(chan *sdk.ProgressNotificationParams, 1),
		sent: make(chan struct{}), lastStaged: time.Now()}
	s.start("progress", p.send)
	return emend.WithProgress(ctx, p.update), p.staged, p.stop
}

// staged reports how many files of a patch are staged.
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

// update reports how far the call is. The protocol requires that the number grows, so a step that counts from zero
// again is not reported until it has come further.
func (p *progress) update(done, total int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done <= p.last {
		return
	}
	p.last = done
	n := &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: float64(done), Total: float64(total), Message: report.Shorten(report.OneLine(what))}
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

// stop ends the notifications. If the client does not read, stop gives up after clientPatience. A notification that
// hangs is still sent before the result.
func (p *progress) stop() {
	p.mu.Lock()
	p.last = math.MaxInt
	close(p.newest)
	p.mu.Unlock()
	select {
	case <-p.sent:
	case <-time.After(clientPatience):
		for range p.newest { // drop what waits: it would come after the result
		}
	}
}
