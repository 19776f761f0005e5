package report

import (
	"encoding/json"
	"strings"
)

// StoredResult is the result of an earlier call. A call that is repeated with the same key gets it again, to the
// byte.
type StoredResult struct {
	Said string          // the text for the model
	JSON json.RawMessage // the result in its shape
}

// OK implements Result. Only successful results are stored.
func (s *StoredResult) OK() bool { return true }

// Text implements Result.
func (s *StoredResult) Text() string { return s.Said }

// MarshalJSON implements json.Marshaler.
func (s *StoredResult) MarshalJSON() ([]byte, error) { return s.JSON, nil }

// Encode encodes a result for [Decode].
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

// Decode decodes the output of Encode. It returns nil if the text is damaged.
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
