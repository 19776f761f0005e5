package report

import (
	"encoding/json"
	"strings"
)

// Stored is an outcome as it was given before: a call that is repeated with its key is answered with it, to the byte.
type StoredResult struct {
	Said string          // what a model reads
	JSON json.RawMessage // the result in its shape
}

// OK implements Result. Only what was done is stored.
func (s *StoredResult) OK() bool { return true }

// Text implements Result.
func (s *StoredResult) Text() string { return s.Said }

// MarshalJSON implements json.Marshaler.
func (s *StoredResult) MarshalJSON() ([]byte, error) { return s.JSON, nil }

// Store writes an outcome down for [Restore].
func Encode(r Result) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return ""
	}
	result := json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
	b.Reset()
	if err := enc.Encode(struct {
		Said string
		JSON json.RawMessage
	}{r.Text(), result}); err != nil {
		return ""
	}
	return b.String()
}

// Restore reads what Store wrote; nil when it is not whole.
func Decode(text string) *StoredResult {
	var s struct {
		Said string
		JSON json.RawMessage
	}
	if json.Unmarshal([]byte(text), &s) != nil || len(s.JSON) == 0 {
		return nil
	}
	return &StoredResult{s.Said, s.JSON}
}
