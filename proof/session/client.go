package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client is one session over HTTP. It works without the SDK: that costs less than the server, and shows every byte.
type Client struct {
	URL, Token string
	HTTP       *http.Client
	Old        bool // a revision with sessions

	session string // id, in such a revision
	ids     int
}

// StatusError is an HTTP status that the protocol does not define.
type StatusError struct {
	Code int
	Body string
}

func (e *StatusError) Error() string { return fmt.Sprintf("HTTP %d: %.300s", e.Code, e.Body) }

// Answer is the result of a call.
type Answer struct {
	Content           []struct{ Text string }
	StructuredContent Structured
	IsError           bool
}

// Structured is a result as the command line prints it with --json, too.
type Structured struct {
	OK   bool
	Data struct {
		AfterSha256, Sha256, TrashedTo string
	}
	Error struct{ Kind, Message string }
	Meta  struct{ Tx string } `json:"_meta"`
}

// Text returns the text of the answer.
func (a *Answer) Text() string {
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[0].Text
}

// The revisions of the protocol.
const (
	WithSessions = "2025-11-25"
	Without      = "2026-07-28"
)

var self = map[string]string{"name": "proof", "version": "1"}

// Meet begins the session, if the revision has sessions.
func (c *Client) Meet() error {
	if !c.Old {
		return nil
	}
	c.session = ""
	var is struct{ ProtocolVersion string }
	err := c.request("initialize", "", map[string]any{"protocolVersion": WithSessions, "capabilities": map[string]any{}, "clientInfo": self}, &is)
	if err != nil || is.ProtocolVersion != WithSessions || c.session == "" {
		return fmt.Errorf("initialize: revision %q, session %q, %w", is.ProtocolVersion, c.session, errors.Join(err))
	}
	resp, err := c.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "", "")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Call calls a tool.
func (c *Client) Call(tool string, arguments map[string]any) (*Answer, error) {
	params := map[string]any{"name": tool, "arguments": arguments}
	if !c.Old {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": Without, "io.modelcontextprotocol/clientInfo": self,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	var out Answer
	return &out, c.request("tools/call", tool, params, &out)
}

func (c *Client) request(method, name string, params, into any) error {
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
		return &StatusError{resp.StatusCode, string(text)}
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return Decode(text, c.ids, into)
}

func (c *Client) post(body []byte, method, name string) (*http.Response, error) {
	req, err := http.NewRequest("POST", c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case !c.Old:
		req.Header.Set("Mcp-Protocol-Version", Without)
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", name)
	case c.session != "":
		req.Header.Set("Mcp-Protocol-Version", WithSessions)
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return c.HTTP.Do(req)
}

// Decode parses the answer with an id in a text, which is JSON or a stream of events.
func Decode(text []byte, id int, into any) error {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(line, "data: ")
		var is struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &is) != nil || is.ID != id {
			continue
		}
		if is.Error != nil {
			return fmt.Errorf("the protocol's error %s", is.Error)
		}
		return json.Unmarshal(is.Result, into)
	}
	return fmt.Errorf("%w: no answer in %.300q", io.ErrUnexpectedEOF, text)
}
