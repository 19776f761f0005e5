package caller

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: who asked is told, at most ten times a second; who did not is not in the way.
func TestProgress(t *testing.T) {
	if Progress(t.Context()) != nil {
		t.Error("nobody asked")
	}
	synctest.Test(t, func(t *testing.T) {
		var told []int
		f := Progress(WithProgress(context.Background(), func(done, _ int, _ string) { told = append(told, done) }))
		for i := range 30 {
			f(i, 0, "")
			time.Sleep(30 * time.Millisecond)
		}
		if want := []int{4, 8, 12, 16, 20, 24, 28}; !slices.Equal(told, want) {
			t.Errorf("told %v", told)
		}
	})
}
