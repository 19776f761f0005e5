package commit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestAttempts: the newest attempts are kept, by the record that they belong to and no other.
func TestAttempts(t *testing.T) {
	w := newWorld(t, vfstest.Journal, nil)
	w.recent = true
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var seqs []uint64
	var hashes []string
	for i := range maxAttempts + 5 {
		r := audit.Record{Kind: audit.Failed, ErrorKind: "patch_apply_error", Message: fmt.Sprint(i)}
		if err := s.RecordAttempt(t.Context(), r, fmt.Sprint("attempt ", i), true); err != nil {
			t.Fatal(err)
		}
		seqs, hashes = append(seqs, s.Head().Seq), append(hashes, s.Head().H)
	}
	for i := range seqs {
		want := fmt.Sprint("attempt ", i)
		if i < 5 {
			want = ""
		}
		if got := Attempt(s.dir, seqs[i], hashes[i]); got != want {
			t.Errorf("attempt %d is %q, want %q", i, got, want)
		}
	}
	last := len(seqs) - 1
	if got := Attempt(s.dir, seqs[last], hashes[0]); got != "" {
		t.Errorf("another record with that number has the attempt %q", got)
	}
	long := strings.Repeat("x", maxAttemptSize+1)
	if err := s.RecordAttempt(t.Context(), audit.Record{Kind: audit.Failed}, long, true); err != nil || Attempt(s.dir, s.Head().Seq, s.Head().H) != "" {
		t.Errorf("an attempt that is too long: %v", err)
	}
	if err := s.dropAttempts(); err != nil || Attempt(s.dir, seqs[last], hashes[last]) != "" {
		t.Errorf("dropped: %v, and it is there", err)
	}
	if err := s.dropAttempts(); err != nil {
		t.Error(err)
	}
}
