package line

import "testing"

// TestNumber: the id of an answer is found wherever a library puts it, and nothing else is taken for it.
func TestNumber(t *testing.T) {
	for line, want := range map[string]int{
		`{"jsonrpc":"2.0","id":12,"result":{"a":1}}`:                                   12,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1}}`:                                  3,
		`{"result":{"content":[{"text":"..."}]},"jsonrpc":"2.0","id":7}` + "\n":        7,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`:               0,
		`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`:                               0,
		`{"method":"roots/list","jsonrpc":"2.0","id":0,"params":{}}`:                   0,
		`{"result":{"text":"{\"jsonrpc\":\"2.0\",\"id\":9}"},"jsonrpc":"2.0","id":10}`: 10,
	} {
		if got, ok := number([]byte(line)); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %t, want %d", line, got, ok, want)
		}
	}
}
