package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/emend-dev/emend/internal/front/gate"
	"github.com/emend-dev/emend/internal/panics"
)

// Serve answers the clients that connect to l until ctx is done. Then it refuses new calls, lets those in hand
// finish, and returns nil. See [Server.Finish] for calls that take long.
func (h *HTTP) Serve(ctx context.Context, l net.Listener, certs ...tls.Certificate) error {
	l = gate.LimitConns(l, h.MaxConns, func() { h.metrics.countRefusal("connections") })
	if len(certs) > 0 {
		l = tls.NewListener(l, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: h.HeaderTimeout, IdleTimeout: h.IdleTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug)}
	ended := make(chan error, 1)
	h.start("the server", func() { ended <- panics.Call(func() error { return srv.Serve(l) }) })
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	h.draining.Store(true)
	written := make(chan struct{})
	h.start("stopping", func() { h.answering.Lock(); close(written) })
	h.Finish(h.Grace)
	waitForClients(written)
	h.endSessions()
	return shutdown(srv)
}

// lastAnswerTime is how long a stopping server waits for clients to take the last answers.
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

// Finish refuses new calls and returns when no call is in hand. After the grace period it cancels the calls that have
// not reached their commit. They change nothing. A commit is always finished.
func (s *Server) Finish(grace time.Duration) {
	idle := s.calls.close()
	timer := time.AfterFunc(grace, s.cancelCalls)
	defer timer.Stop()
	<-idle
}

// endSessions closes the sessions of all clients, and with them their open streams.
func (h *HTTP) endSessions() {
	var closing panics.Group
	for _, open := range h.endpoints {
		for s := range open().server.Sessions() {
			closing.Go(func() { s.Close() })
		}
	}
	done := make(chan struct{})
	h.start("ending the sessions", func() { defer close(done); closing.Wait() })
	waitForClients(done)
}

// waitForClients waits for done, but no longer than clients may take for the last answers.
func waitForClients(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(lastAnswerTime):
	}
}
