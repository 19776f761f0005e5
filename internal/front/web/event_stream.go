package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// events serves the event stream of one open page. It ends with the browser's session: a page that is signed out learns
// nothing more, and does not count as open.
func (s *Site) events(w http.ResponseWriter, r *request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return // HEAD asks for the headers only
	}
	d := s.hubs[r.ws.Name]
	st, ctx := d.subscribe(r.Context())
	defer d.unsubscribe(st)
	over := s.logins.ended(cookieSecret(r.Request))
	w.Header().Set("Content-Type", "text/event-stream")
	ctl := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && ctl.Flush() == nil
	}
	if !send("retry: 1000\n\n") {
		return
	}
	for tick := time.NewTicker(heartbeat); ; {
		ok := true
		select {
		case n := <-st.updates:
			data, _ := json.Marshal(n) // numbers and a string: never fails
			ok = send("event: news\ndata: %s\n\n", data)
		case <-tick.C:
			s.logins.deleteIdle()
			ok = send(": still here\n\n")
		case <-over:
			ok = false
		case <-ctx.Done():
			ok = false
		}
		if !ok {
			tick.Stop()
			return
		}
	}
}
