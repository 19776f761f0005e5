package cli

import (
	"encoding/json"
	"testing"
)

type said string

func (s said) OK() bool                     { return false }
func (s said) Text() string                 { return "" }
func (s said) MarshalJSON() ([]byte, error) { return json.RawMessage(s), nil }

// TestUndecided: a commit that is neither done nor taken back has its own exit code, in whatever shape the result is.
func TestUndecided(t *testing.T) {
	for text, want := range map[string]int{
		`{"ok":false,"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}}`:                                 exitUndecided,
		`{"ok":false,"error":{"kind":"command_failed","details":{"reason":"limit"}}}`:                                         exitRefused,
		`{"ok":false,"error":{"kind":"stale_file"}}`:                                                                          exitRefused,
		`{"ok":false,"error":"in words","_meta":{"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}}}`:    exitUndecided,
		`{"ok":false,"_meta":{"error":{"kind":"command_failed","details":{"reason":"indeterminate"}}},"error":"in words"}`:    exitUndecided,
		`{"ok":false,"error":"in words","_meta":{"error":{"kind":"command_failed","details":{"reason":"store_unwritable"}}}}`: exitRefused,
	} {
		if got := exitCode(refusedCallError(said(text))); got != want {
			t.Errorf("%s: exit code %d", text, got)
		}
	}
}
