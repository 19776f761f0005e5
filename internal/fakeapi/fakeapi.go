// Package fakeapi plays the APIs of model vendors for tests. Each API answers with tool calls from a script, and refuses a request
// that does not have a result for every call before. It implements what the vendor documents and the programs in examples/ use.
package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Call is a tool call that the model makes.
type Call struct {
	Name  string // of the tool; OpenAI's apply_patch_call has none
	Input string // the arguments, or the operation, as JSON
}

// Result is the result that the program sent for a call.
type Result struct {
	Failed bool
	Text   string
}

// Server answers each request with the calls of the next turn, and with the word "Done." when there is none left.
type Server struct {
	vendor  vendor
	mu      sync.Mutex
	turns   [][]Call
	turn    int
	pending []string // the ids of the calls of the turn before
	results []Result
	refused []string
}

// vendor holds the differences between the APIs.
type vendor struct {
	path string
	// results reads a request and returns the results for the pending calls, in their order.
	results func(r *http.Request, body []byte, turn int, pending []string) ([]Result, error)
	// reply makes the response of a turn. Without calls it ends the conversation.
	reply func(turn int, ids []string, calls []Call) any
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply, err := s.answer(r)
	status := http.StatusOK
	if err != nil {
		s.refused = append(s.refused, err.Error())
		status, reply = http.StatusBadRequest, map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": err.Error()}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(reply) //nolint:errcheck // the client is gone
}

func (s *Server) answer(r *http.Request) (any, error) {
	if r.Method != http.MethodPost || r.URL.Path != s.vendor.path {
		return nil, fmt.Errorf("%s %s is not %s", r.Method, r.URL.Path, s.vendor.path)
	}
	var body json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20)).Decode(&body); err != nil {
		return nil, err
	}
	results, err := s.vendor.results(r, body, s.turn, s.pending)
	if err != nil {
		return nil, err
	}
	s.results, s.pending = append(s.results, results...), nil
	var calls []Call
	if s.turn < len(s.turns) {
		calls = s.turns[s.turn]
	}
	s.turn++
	for i := range calls {
		s.pending = append(s.pending, fmt.Sprintf("call_%d_%d", s.turn, i+1))
	}
	return s.vendor.reply(s.turn, s.pending, calls), nil
}

// Results returns the results for all calls so far, and an error if a request was refused or calls are left.
func (s *Server) Results() ([]Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.refused) > 0:
		return s.results, fmt.Errorf("the API refused a request: %s", s.refused[0])
	case s.turn <= len(s.turns):
		return s.results, fmt.Errorf("the conversation ended after %d of %d turns", s.turn, len(s.turns)+1)
	}
	return s.results, nil
}

// inOrder returns the results for the pending calls. Each call must have exactly one.
func inOrder(pending []string, got map[string]Result, n int) ([]Result, error) {
	var out []Result
	for _, id := range pending {
		a, ok := got[id]
		if !ok {
			return nil, fmt.Errorf("the call %s has no result", id)
		}
		out = append(out, a)
	}
	if n != len(pending) {
		return nil, fmt.Errorf("%d results for %d calls", n, len(pending))
	}
	return out, nil
}
