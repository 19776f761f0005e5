package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/emend-dev/emend/fail"
)

// lineRefusal is the JSON-RPC error that answers a line without a valid message.
type lineRefusal struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null if none can be read
	Error   jsonrpc.Error   `json:"error"`
}

func refuseLine(id json.RawMessage, code int64, format string, args ...any) *lineRefusal {
	return &lineRefusal{"2.0", id, jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

const lineHint = "Send one JSON-RPC message a line, in UTF-8."

// parseMessage parses a line. An empty line has no message.
func parseMessage(l inputLine) (jsonrpc.Message, *lineRefusal) {
	if l.tooLong() {
		return nil, refuseLine(l.id(), jsonrpc.CodeInvalidRequest, "the message has %d bytes, and at most %d are taken: split the call", l.size, maxLine)
	}
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return nil, nil
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, refuseLine(findID(text), jsonrpc.CodeParseError, "the line is not valid UTF-8 at byte %d. %s", at, lineHint)
	}
	if text[0] == '[' {
		return nil, refuseLine(nil, jsonrpc.CodeInvalidRequest, "a batch is not taken. %s", lineHint)
	}
	var members map[string]json.RawMessage // a map has exact names: a struct would accept "ID" for "id"
	err := json.Unmarshal(text, &members)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, refuseLine(findID(text), jsonrpc.CodeParseError, "the line is not JSON: %v, at byte %d. %s", bad, bad.Offset, lineHint)
	}
	if err != nil || members == nil {
		return nil, refuseLine(nil, jsonrpc.CodeInvalidRequest, "the line is JSON and no object. %s", lineHint)
	}
	return parseEnvelope(members)
}

// parseEnvelope makes a message from its members. It ignores members that JSON-RPC does not define.
func parseEnvelope(members map[string]json.RawMessage) (jsonrpc.Message, *lineRefusal) {
	asked, ok := members["method"]
	if !ok {
		return parseResponse(members)
	}
	raw, hasID := members["id"]
	id, ok := parseID(raw)
	if hasID && !ok {
		return nil, refuseLine(nil, jsonrpc.CodeInvalidRequest, "the id is %s, and it has to be an integer or a string of at most %d bytes",
			fail.Short(string(raw)), maxID)
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return nil, refuseLine(raw, jsonrpc.CodeInvalidRequest, `the message has no "jsonrpc":"2.0"`)
	}
	var method string
	if json.Unmarshal(asked, &method) != nil || string(asked) == "null" {
		return nil, refuseLine(raw, jsonrpc.CodeInvalidRequest, "the method is %s, and it has to be a string", fail.Short(string(asked)))
	}
	if tooManyValues(members["params"]) {
		return nil, refuseLine(raw, jsonrpc.CodeInvalidRequest, "%s", tooManyValuesMessage)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: members["params"]}, nil
}

// parseResponse makes a response from its members. It drops one that answers nothing: two programs that answer each
// other's errors would never stop.
func parseResponse(members map[string]json.RawMessage) (jsonrpc.Message, *lineRefusal) {
	result, hasResult := members["result"]
	rawError, hasError := members["error"]
	raw := members["id"]
	id, ok := parseID(raw)
	if !ok {
		raw = nil
	}
	switch {
	case !hasResult && !hasError:
		return nil, refuseLine(raw, jsonrpc.CodeInvalidRequest, "the message has no method, no result and no error")
	case !ok:
		return nil, nil
	case hasError:
		e := &jsonrpc.Error{}
		json.Unmarshal(rawError, e) //nolint:errcheck // an error that cannot be read is still an error
		return &jsonrpc.Response{ID: id, Error: e}, nil
	}
	return &jsonrpc.Response{ID: id, Result: result}, nil
}

// maxID bounds the length of an id, since every answer repeats it.
const maxID = 1 << 10

var integer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})$`) })

// parseID parses an id. It refuses numbers that the SDK would round to another number.
func parseID(raw json.RawMessage) (jsonrpc.ID, bool) {
	var v any
	if len(raw) == 0 || len(raw) > maxID || json.Unmarshal(raw, &v) != nil {
		return jsonrpc.ID{}, false
	}
	if _, number := v.(float64); number && !integer().Match(raw) || v == nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(v)
	return id, err == nil
}

// lastID matches the end of a message whose last member is the id. It allows one closing brace only, so that the id
// is that of the message and not of something inside it.
var lastID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s*"id"\s*:\s*(-?[0-9]{1,15}|"[^"\\]{0,200}")\s*\}\s*$`)
})

// id returns the id of a message that is too long, if one of its ends has it.
func (l *inputLine) id() json.RawMessage {
	if id := findID(l.text); id != nil {
		return id
	}
	if m := lastID().FindSubmatch(l.tail); m != nil && utf8.Valid(m[1]) {
		return m[1]
	}
	return nil
}

// findID returns the id of a message that cannot be parsed to its end, or nil.
func findID(text []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		var member json.RawMessage
		if dec.Decode(&member) != nil {
			return nil
		}
		if name == "id" {
			if _, ok := parseID(member); ok && utf8.Valid(member) {
				return member
			}
			return nil
		}
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
}
