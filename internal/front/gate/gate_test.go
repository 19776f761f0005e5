package gate

import (
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	now := time.Unix(1, 0)
	r := NewRateLimiter(10)
	r.now = func() time.Time { return now }
	count := func(caller string) (n int) {
		for range 100 {
			if r.Allow(caller) {
				n++
			}
		}
		return n
	}
	for i, tc := range []struct {
		wait   time.Duration
		caller string
		want   int
	}{{0, "a", 20}, {0, "b", 20}, {500 * time.Millisecond, "a", 5}, {50 * time.Millisecond, "a", 0}, {50 * time.Millisecond, "a", 1}, {time.Hour, "a", 20}} {
		now = now.Add(tc.wait)
		if got := count(tc.caller); got != tc.want {
			t.Errorf("%d: %s is let in %d times, want %d", i, tc.caller, got, tc.want)
		}
	}
	for i := range 3 * maxCallers {
		r.Allow(string(rune(i)))
	}
	if n := len(r.callers); n > maxCallers {
		t.Errorf("%d callers are remembered", n)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.9.9.9:80": true, "[::1]": true, "[::1]:80": true,
		"[::ffff:127.0.0.1]:1": true, "": false, "0.0.0.0": false, "localhost.": false, "localhost.evil": false, "127.0.0.1.evil": false, "10.0.0.1:80": false, "[::]:1": false} {
		if IsLoopback(host) != want {
			t.Errorf("%q: %t", host, !want)
		}
	}
}
