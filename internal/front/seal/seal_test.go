package seal

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestOnce: a ticket is good once, for what it was issued for, in the process that issued it.
func TestOnce(t *testing.T) {
	s, other := New(time.Hour), New(time.Hour)
	state := s.Issue("ab", "c")
	for _, no := range []error{s.Redeem(state, "a", "bc"), s.Redeem(state, "ab"), s.Redeem(state, "ab", "c", ""), other.Redeem(state, "ab", "c"),
		s.Redeem(state+"x", "ab", "c"), s.Redeem(strings.Replace(state, ".", "", 1), "ab", "c"), s.Redeem("", "ab", "c"), s.Redeem(".", "ab", "c")} {
		if !errors.Is(no, ErrForged) {
			t.Errorf("%v", no)
		}
	}
	if err := s.Redeem(state, "ab", "c"); err != nil {
		t.Errorf("it is not taken: %v", err)
	}
	s.SetNote(state, "what came of it")
	s.SetNote("forged", "never taken")
	if s.Note(state) != "what came of it" || s.Note("forged") != "" || s.UsedCount() != 1 {
		t.Errorf("%q, %d", s.Note(state), s.UsedCount())
	}
	if err := s.Redeem(state, "ab", "c"); !errors.Is(err, ErrUsed) {
		t.Errorf("it is taken twice: %v", err)
	}
}

// TestBounded: the number of used tickets is bounded. At the bound none is accepted, until some expire.
func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(time.Minute)
		expires := time.Now().Add(time.Minute).Unix()
		for i := range maxUsed {
			s.used[strings.Repeat("x", i%8)+time.Duration(i).String()] = usedTicket{expires: expires}
		}
		if err := s.Redeem(s.Issue("a"), "a"); !errors.Is(err, ErrFull) || s.UsedCount() > maxUsed {
			t.Errorf("%v, %d", err, s.UsedCount())
		}
		late := s.Issue("a")
		time.Sleep(time.Minute)
		if err := s.Redeem(late, "a"); !errors.Is(err, ErrExpired) {
			t.Errorf("%v", err)
		}
		if err := s.Redeem(s.Issue("a"), "a"); err != nil || s.UsedCount() != 1 {
			t.Errorf("%v, %d", err, s.UsedCount())
		}
	})
}
