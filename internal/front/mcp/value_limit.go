package mcp

import "fmt"

// maxValues bounds the JSON values in a message. A parsed value takes many times its bytes: 15 million zeros in 30 MB
// take more than a gigabyte. The content of a file is one value.
const maxValues = 1 << 16

var tooManyValuesMessage = fmt.Sprintf("the message has more than %d values: make several calls of it", maxValues)

// tooManyValues reports whether JSON has more than maxValues values. It counts separators and does not parse.
func tooManyValues(text []byte) bool {
	if len(text) <= maxValues {
		return false
	}
	n, quoted := 0, false
	for i := 0; i < len(text) && n < maxValues; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n >= maxValues
}
