//go:build npm && linux

package agents

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// protocol is one protocol between agents and models.
type protocol struct {
	asks  func(path string) bool
	read  func(path string, body []byte) (shown, error)
	write func(w io.Writer, to shown, s said)
}

var protocols = []protocol{messages, responses, completions, generate}

// turnLimit ends a conversation that would go on for ever.
const turnLimit = 40

// model plays a script for one agent.
type model struct {
	t      testing.TB
	script []step
	url    string
	keep   func(name string, data []byte)
	took   time.Duration // for the whole conversation
	shell  string        // a tool of the agent that is in every request of the conversation, for scripts without emend's tools
	sub    []step        // for an agent that it starts itself, whose first message has subTask
	pause  int           // the number of results at which the model ends its turn; 0 for the end of the script

	mu        sync.Mutex
	turns     []shown         // of the conversation
	asides    int             // requests without emend's tools: titles, summaries
	strangers []string        // hosts that the agent tried to reach
	unknown   []string        // requests of no known protocol
	gaveUp    error           // why the script could not continue
	did       int             // number of steps that were begun
	sought    map[string]bool // tools that it searched for
}

// serve starts the model and returns its address.
func (m *model) serve() string {
	s := httptest.NewServer(m)
	m.t.Cleanup(s.Close)
	return s.URL
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		m.strangers = append(m.strangers, r.Host)
		http.Error(w, "there is no network here", http.StatusBadGateway)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return // the agent closed the connection
	}
	i := slices.IndexFunc(protocols, func(p protocol) bool { return r.Method == http.MethodPost && p.asks(r.URL.Path) })
	if i < 0 {
		m.unknown = append(m.unknown, r.Method+" "+r.URL.Path)
		fail(w, http.StatusNotFound, "no such thing here")
		return
	}
	m.answer(w, r, protocols[i], body)
}

// answer answers one turn.
func (m *model) answer(w http.ResponseWriter, r *http.Request, p protocol, body []byte) {
	m.keep(fmt.Sprintf("request-%02d.json", len(m.turns)+m.asides), body)
	s, err := p.read(r.URL.Path, body)
	if err != nil {
		m.t.Errorf("a request of the model cannot be read: %v", err)
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	if len(m.turns)+m.asides >= turnLimit {
		fail(w, http.StatusBadRequest, "the script is over")
		return
	}
	out := done
	if _, ok := s.offers("read_file"); ok || s.finds || m.shell != "" && slices.Contains(s.tools, m.shell) {
		m.turns = append(m.turns, s)
		out = m.next(s)
	} else {
		m.asides++
	}
	kind := "application/json"
	if s.stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	p.write(w, s, out)
}

// done ends a conversation.
var done = said{words: "Done."}

// subTask is the prompt of an agent that another one starts.
const subTask = "Do the part of another agent."

// next returns the step that follows what the model was shown.
func (m *model) next(s shown) said {
	n := len(s.results)
	if m.sub != nil && strings.Contains(s.first, subTask) {
		if n == len(m.sub) {
			return done
		}
		return said{tool: m.sub[n].tool, args: encode(m.sub[n].args), id: fmt.Sprintf("sub_%d", n+1)}
	}
	if n >= len(m.script) || m.gaveUp != nil || m.pause > 0 && n >= m.pause {
		return done
	}
	now := m.script[n]
	if now.args != nil {
		return said{tool: now.tool, args: encode(now.args), id: fmt.Sprintf("call_%d", n+1)}
	}
	if now.own != "" {
		return said{own: true, tool: now.tool, args: now.own, id: fmt.Sprintf("call_%d", n+1)}
	}
	name, ok := s.offers(now.tool)
	if !ok && s.finds && !m.sought[now.tool] {
		m.sought[now.tool] = true
		return said{find: "emend " + strings.ReplaceAll(now.tool, "_", " "), id: fmt.Sprintf("%s_%d", finding, len(m.sought))}
	}
	if now.before != nil && m.did == n {
		now.before()
	}
	m.did = max(m.did, n+1)
	args, err := now.call(s.results)
	if err == nil && !ok {
		err = fmt.Errorf("the agent does not offer %s", now.tool)
	}
	if err != nil {
		m.gaveUp = fmt.Errorf("%s: %w", now.does, err)
		return said{words: "I give up: " + m.gaveUp.Error()}
	}
	return said{tool: name, args: encode(args), id: fmt.Sprintf("call_%d", n+1)}
}
