//go:build unix

package siege

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// client is one session. It speaks HTTP without the SDK: that costs less than the server, and shows every byte.
type client struct {
	url, token string
	http       *http.Client
	old        bool   // a revision with sessions
	session    string // session id, in such a revision
	ids        int
}

// errStatus is an HTTP status that the protocol does not define.
type errStatus struct {
	code int
	body string
}

func (e *errStatus) Error() string { return fmt.Sprintf("HTTP %d: %.300s", e.code, e.body) }

// answer is the result of a call.
type answer struct {
	Content           []struct{ Text string }
	StructuredContent struct {
		Data struct {
			AfterSha256, Sha256, TrashedTo string
		}
		Error struct{ Kind string }
		Meta  struct{ Tx string } `json:"_meta"`
	}
	IsError bool
}

func (a *answer) text() string {
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[0].Text
}

const (
	withSessions = "2025-11-25"
	without      = "2026-07-28"
)

var self = map[string]string{"name": "siege", "version": "1"}

// meet begins the session, if the revision has sessions.
func (c *client) meet() error {
	if !c.old {
		return nil
	}
	var is struct{ ProtocolVersion string }
	err := c.request("initialize", "", map[string]any{"protocolVersion": withSessions, "capabilities": map[string]any{}, "clientInfo": self}, &is)
	if err != nil || is.ProtocolVersion != withSessions || c.session == "" {
		return fmt.Errorf("initialize: revision %q, session %q, %w", is.ProtocolVersion, c.session, errors.Join(err))
	}
	resp, err := c.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "", "")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// call calls a tool.
func (c *client) call(tool string, arguments map[string]any) (*answer, error) {
	params := map[string]any{"name": tool, "arguments": arguments}
	if !c.old {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": without, "io.modelcontextprotocol/clientInfo": self,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	var out answer
	return &out, c.request("tools/call", tool, params, &out)
}

func (c *client) request(method, name string, params, into any) error {
	c.ids++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": method, "params": params})
	if err != nil {
		return err
	}
	resp, err := c.post(body, method, name)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return &errStatus{resp.StatusCode, string(text)}
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return c.decode(text, into)
}

func (c *client) post(body []byte, method, name string) (*http.Response, error) {
	req, err := http.NewRequest("POST", c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case !c.old:
		req.Header.Set("Mcp-Protocol-Version", without)
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	case c.session != "":
		req.Header.Set("Mcp-Protocol-Version", withSessions)
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return c.http.Do(req)
}

// decode parses the answer in a body, which is JSON or a stream of events.
func (c *client) decode(text []byte, into any) error {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(line, "data: ")
		var is struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &is) != nil || is.ID != c.ids {
			continue
		}
		if is.Error != nil {
			return fmt.Errorf("the protocol's error %s", is.Error)
		}
		return json.Unmarshal(is.Result, into)
	}
	return fmt.Errorf("%w: no answer in %.300q", io.ErrUnexpectedEOF, text)
}
