package history

import (
	"regexp"
	"testing"
	"time"
)

// TestNewID checks that a name has its time, is a valid file name, and is unique.
func TestNewID(t *testing.T) {
	now := time.Date(2026, 11, 21, 13, 17, 12, 5, time.FixedZone("", 3600))
	form := regexp.MustCompile(`^20261121-121712-[a-z2-7]{10}$`)
	seen := map[string]bool{}
	for range 10000 {
		id := NewID(now)
		if at, ok := TimeOf(id); !form.MatchString(id) || !ok || !at.Equal(now.Truncate(time.Second)) {
			t.Fatalf("%q is of %v, %v", id, at, ok)
		}
		if seen[id] {
			t.Fatalf("%q came twice", id)
		}
		seen[id] = true
	}
}
