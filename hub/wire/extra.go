package wire

import (
	"encoding/json"
	"fmt"
)

// Limits of contents.
const (
	MaxContent = 8 << 20   // a longer content is not sent
	PartBytes  = 512 << 10 // of a content, in one message
	MaxDiff    = 1 << 20   // of one file; a longer one is not sent
)

// Part is a part of a content.
type Part struct {
	V    int    `json:"v"`
	Of   int    `json:"of"` // how many parts the content has
	Data []byte `json:"data"`
}

// Parts cuts a content; an empty one has one part.
func Parts(content []byte) []Part {
	n := max(1, (len(content)+PartBytes-1)/PartBytes)
	out := make([]Part, n)
	for i := range out {
		out[i] = Part{Version, n, content[i*PartBytes : min(len(content), (i+1)*PartBytes)]}
	}
	return out
}

// EncodeExtra returns diffs, or a part of a content, as they are sent: JSON, compressed with Zstandard.
func EncodeExtra[T Diffs | Part](v *T) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return encoder().EncodeAll(text, nil), nil
}

// DecodeDiffs reads diffs as they were sent.
func DecodeDiffs(data []byte) (*Diffs, error) { return decodeExtra[Diffs](data, "diffs") }

// DecodePart reads a part of a content as it was sent.
func DecodePart(data []byte) (*Part, error) { return decodeExtra[Part](data, "a part of a content") }

func decodeExtra[T any](data []byte, what string) (*T, error) {
	text, err := Decompress(data)
	if err != nil {
		return nil, fmt.Errorf("not %s: %w", what, err)
	}
	v := new(T)
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("not %s: %w", what, err)
	}
	return v, nil
}
