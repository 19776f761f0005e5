package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

func TestEveryKindHasAnExitCode(t *testing.T) {
	for _, k := range fail.Kinds {
		if code, ok := exits[k]; !ok || code == exitDone {
			t.Errorf("%s: exit code %d, %v", k, code, ok)
		}
	}
	if len(exits) != len(fail.Kinds) {
		t.Errorf("%d exit codes for %d kinds", len(exits), len(fail.Kinds))
	}
}

func TestExitCode(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{&fail.Error{Kind: fail.Stale}, exitRefused},
		{fail.List{{Kind: fail.PatchApply}}, exitRefused},
		{errors.Join(errSaid, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate}), exitUndecided},
		{badUse("apply", "no"), exitUsage},
		{errors.New("unknown"), exitRefused},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("exitCode(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}

// What a terminal would obey is written as an escape, and reads back as it was: a corrected hunk is sent as it is printed.
func TestPlainJSONReadsBack(t *testing.T) {
	const text = "del \x7f, soft hyphen \u00ad, csi \u009b, mark \u202e, line \u2028, tag \U000e0041, \\u007f, é, 😀"
	var out bytes.Buffer
	if err := newEncoder(&out).Encode(text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x7f\u00ad\u009b\u202e\u2028\U000e0041") {
		t.Errorf("written as it is: %q", out.String())
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text {
		t.Errorf("%v: %q reads back as %q", err, out.String(), back)
	}
}
