package cli

import (
	"encoding/json"
	"testing"
)

type rawResult string

func (s rawResult) OK() bool                     { return false }
func (s rawResult) Text() string                 { return "" }
func (s rawResult) MarshalJSON() ([]byte, error) { return json.RawMessage(s), nil }

// A commit that is neither done nor undone has its own exit code, whatever shape the result has.
func TestUndecidedExitCode(t *testing.T) {
	for text, want := range map[string]int{
		`{"ok":false,"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}}`:                                 exitUndecided,
		`{"ok":false,"error":{"kind":"command_failed","details":{"reason":"limit"}}}`:                                         exitRefused,
		`{"ok":false,"error":{"kind":"stale_file"}}`:                                                                          exitRefused,
		`{"ok":false,"error":"in words","_meta":{"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}}}`:    exitUndecided,
		`{"ok":false,"_meta":{"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}},"error":"in words"}`:    exitUndecided,
		`{"ok":false,"error":"in words","_meta":{"error":{"kind":"command_failed","details":{"reason":"store_unwritable"}}}}`: exitRefused,
	} {
		if got := exitCode(refusedCallError(rawResult(text))); got != want {
			t.Errorf("%s: exit code %d", text, got)
		}
	}
}
