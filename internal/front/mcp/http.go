package mcp

import (
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the first revision of the protocol without sessions.
const stateless = "2026-07-28"

// HTTPConfig is how a server is reached over HTTP.
type HTTPConfig struct {
	Token string // what clients send as their bearer token
}

// Handler serves all clients of HTTP. One address speaks every revision of the protocol: the header of the request says
// which.
func (s *Server) Handler(c HTTPConfig) http.Handler {
	get := func(*http.Request) *sdk.Server { return s.all }
	old := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Logger: s.Log})
	now := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Logger: s.Log, Stateless: true, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+c.Token {
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= stateless {
			now.ServeHTTP(w, r)
			return
		}
		old.ServeHTTP(w, r)
	})
	return mux
}
