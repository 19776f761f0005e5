package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// attemptsName is the directory of the store with what refused calls attempted, one file for each. It is beside the log, which
// has no content. Losing one costs nothing but the view of it: they are not synced, and only the newest are kept.
const attemptsName = "refused"

const (
	maxAttempts    = 200
	maxAttemptAge  = 30 * 24 * time.Hour
	maxAttemptSize = 256 << 10
)

// RecordAttempt is [Store.RecordRefusal], and keeps what the call attempted. If that cannot be kept, or is too long, the record is
// written all the same.
func (s *Store) RecordAttempt(ctx context.Context, r audit.Record, attempt string, wait bool) error {
	return s.recordRefusal(ctx, &r, wait, func() {
		if attempt != "" && len(attempt) <= maxAttemptSize {
			s.keepAttempt(&r, attempt) //nolint:errcheck // see above
		}
	})
}

// attemptName names the file of a record. It has the beginning of the record's hash: after a power cut another record may get its
// number.
func attemptName(seq uint64, hash string) string {
	return fmt.Sprintf("%d-%s", seq, hash[:min(len(hash), 16)])
}

func (s *Store) keepAttempt(r *audit.Record, attempt string) error {
	dir, err := s.dir.Dir(attemptsName)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.dir.Mkdir(attemptsName, 0o700); err == nil {
			dir, err = s.dir.Dir(attemptsName)
		}
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.Create(attemptName(r.Seq, r.H), 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, attempt)
	return errors.Join(err, f.Close(), dropOldAttempts(dir, s.opts.now()))
}

// dropOldAttempts removes all but the newest attempts, and those that are too old.
func dropOldAttempts(dir vfs.Dir, now time.Time) error {
	names, err := dir.Names()
	if err != nil {
		return err
	}
	number := func(name string) uint64 {
		digits, _, _ := strings.Cut(name, "-")
		n, _ := strconv.ParseUint(digits, 10, 64)
		return n
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(number(b), number(a)) })
	for len(names) > maxAttempts {
		last := len(names) - 1
		err = errors.Join(err, dir.Remove(names[last]))
		names = names[:last]
	}
	for i := len(names) - 1; i >= 0; i-- {
		is, statErr := dir.Stat(names[i])
		if statErr != nil || now.Sub(is.ModTime) < maxAttemptAge {
			break // the others are newer
		}
		err = errors.Join(err, dir.Remove(names[i]))
	}
	return err
}

// Attempt returns what the refused call of a record attempted; "" if that is not kept.
func Attempt(store vfs.Dir, seq uint64, hash string) string {
	dir, err := store.Dir(attemptsName)
	if err != nil {
		return ""
	}
	defer dir.Close()
	f, err := dir.Open(attemptName(seq, hash))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAttemptSize+1))
	if err != nil || len(text) > maxAttemptSize {
		return ""
	}
	return string(text)
}

// dropAttempts removes all that refused calls attempted: a purge cannot tell which of them have lines of what it removes.
func (s *Store) dropAttempts() error {
	dir, err := s.dir.Dir(attemptsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Names()
	for _, name := range names {
		err = errors.Join(err, dir.Remove(name))
	}
	if err == nil && !s.opts.NoSync {
		err = dir.Sync()
	}
	return err
}
