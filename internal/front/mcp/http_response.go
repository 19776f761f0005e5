package mcp

import (
	"net/http"
	"sync/atomic"
	"time"
)

// response counts the bytes of an answer and sets a deadline for each write.
type response struct {
	http.ResponseWriter
	ctl          *http.ResponseController
	writeTimeout time.Duration
	unsent       *atomic.Int64
	code         int
	sent         int64
	onStatus     func(code int) // called before the client sees the status
}

func (w *response) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code = code
		if w.onStatus != nil {
			w.onStatus(code)
		}
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.extendDeadline()
	w.unsent.Add(int64(len(b)))
	defer w.unsent.Add(-int64(len(b)))
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

// FlushError is called by [http.ResponseController].
func (w *response) FlushError() error {
	w.extendDeadline()
	return w.ctl.Flush()
}

// Unwrap gives the SDK access to the underlying writer.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) extendDeadline() {
	w.ctl.SetWriteDeadline(time.Now().Add(w.writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
}

// finish is called at the end of a request, when at most buffered bytes are still to be sent.
func (w *response) finish() {
	w.extendDeadline()
	if w.code == 0 {
		w.code = http.StatusOK
	}
}

func (w *response) refuse(refusal *httpRefusal) {
	if w.code != 0 {
		return // the client has a status already
	}
	if refusal.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="emend"`)
	}
	if refusal.retryLater {
		w.Header().Set("Retry-After", "1")
	}
	if refusal.closeConn {
		w.Header().Set("Connection", "close")
	}
	http.Error(w, "emend: "+refusal.msg, refusal.code)
}
