package cli

import (
	"errors"
	"testing"

	"github.com/emend-dev/emend/fail"
)

func TestEveryKindHasAnExitCode(t *testing.T) {
	for _, k := range fail.Kinds {
		if code, ok := exitCodes[k]; !ok || code == exitDone {
			t.Errorf("%s: exit code %d, %v", k, code, ok)
		}
	}
	if len(exitCodes) != len(fail.Kinds) {
		t.Errorf("%d exit codes for %d kinds", len(exitCodes), len(fail.Kinds))
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
		{errors.Join(errPrinted, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate}), exitUndecided},
		{usageErrorf("apply", "no"), exitUsage},
		{errors.New("unknown"), exitRefused},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("exitCode(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}
