//go:build npm

package interop

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestProxyLosesNoAnswer begins an answer before the request has ended.
func TestProxyLosesNoAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		first := make([]byte, 1)
		c.EnableFullDuplex()
		io.ReadFull(r.Body, first)
		w.Write(first)
		c.Flush()
		io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	body, rest := io.Pipe()
	context.AfterFunc(ctx, func() { rest.CloseWithError(ctx.Err()) })
	go io.WriteString(rest, "a")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, withToken(t, server.URL, "token"), body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("the answer does not begin: %v", err)
	}
	defer res.Body.Close()
	io.WriteString(rest, "bc")
	rest.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "abc" || err != nil {
		t.Errorf("the answer is %q, %v; want all of it", got, err)
	}
}
