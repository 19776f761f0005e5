//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// shown is the content of one request to a model: the tools that it may call, and the results of its calls so far.
type shown struct {
	tools   []string
	results []string
	first   string // the text of the first message, where that matters
	stream  bool
	finds   bool // more tools can be found
	code    bool // tools are called by a program that the model writes
}

// add adds the result of a call, unless it is a search.
func (s *shown) add(id, result string) {
	if !strings.Contains(id, finding) {
		s.results = append(s.results, result)
	}
}

// offers finds a tool of emend under the name that the agent gave it.
func (s shown) offers(tool string) (string, bool) {
	i := slices.IndexFunc(s.tools, func(name string) bool {
		return strings.Contains(name, "emend") && (strings.HasSuffix(name, "_"+tool) || strings.HasSuffix(name, " "+tool))
	})
	if i < 0 {
		return "", false
	}
	return s.tools[i], true
}

// said is a model's answer: a call of a tool, a search for one, or words, which end its turn.
type said struct {
	tool  string // as the agent named it
	args  string // JSON
	own   bool   // the tool is the agent's own, and takes text
	find  string // words to search a tool by
	id    string
	words string
}

// finding is in the id of every search for tools.
const finding = "find"

// fail sends an error in a form that all four protocols understand. No agent retries after a 4xx.
func fail(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintln(w, encode(object{"type": "error", "error": object{"type": "invalid_request_error", "code": status, "message": why}}))
}

type object map[string]any

func encode(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// event writes one event of a stream.
func event(w io.Writer, name string, v object) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", encode(v))
}
