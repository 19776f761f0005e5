package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/front/gate"
)

// Serve answers those who connect to l until ctx is done. Then it takes no more calls, lets those in hand finish, and
// returns nil. See [Server.Finish] for those that take long.
func (h *HTTP) Serve(ctx context.Context, l net.Listener, certs ...tls.Certificate) error {
	l = gate.Bound(l, h.MaxConns, func() { h.metrics.countRefusal("connections") })
	if len(certs) > 0 {
		l = tls.NewListener(l, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: h.HeaderTimeout, IdleTimeout: h.IdleTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug)}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	h.draining.Store(true)
	written := make(chan struct{})
	go func() { h.answering.Lock(); close(written) }()
	h.Finish(h.Grace)
	waitForClients(written)
	h.endSessions()
	return shutdown(srv)
}

// linger is how long clients have to take the last answers.
const lastAnswerTime = 5 * time.Second

func shutdown(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), lastAnswerTime)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	return err
}

// Finish takes no more calls, and returns when none is in hand. After the grace those that have not reached their commit
// are cancelled, and change nothing; a commit is always finished.
func (s *Server) Finish(grace time.Duration) {
	idle := s.calls.close()
	patience := time.AfterFunc(grace, s.cancelCalls)
	defer patience.Stop()
	<-idle
}

// endSessions lets go of every stream that would otherwise stay open, when each has had its last answer.
func (h *HTTP) endSessions() {
	var all sync.WaitGroup
	for _, open := range h.endpoints {
		for s := range open().server.Sessions() {
			all.Go(func() { s.Close() })
		}
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	waitForClients(done)
}

// soon waits for done, but not for clients that do not take what they asked for.
func waitForClients(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(lastAnswerTime):
	}
}
