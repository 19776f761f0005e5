package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/vfs"
)

// Torn is the end of a segment that was set aside.
type Torn = api.Torn

// SetTornAside copies a torn tail to a file of its own and cuts it off, durably. It returns nil if there is none.
// Append does the same; this is for callers that report it.
func (l *Log) SetTornAside() (*Torn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refusal(); err != nil {
		return nil, err
	}
	var t Torn
	if err := l.cutTorn(&t); err != nil {
		return nil, l.notWritten(err)
	}
	if t.Name == "" {
		return nil, nil
	}
	return &t, nil
}

// cutTorn sets the torn tail aside and describes it in t, which may be nil.
func (l *Log) cutTorn(t *Torn) error {
	if l.state.tornSize == 0 {
		return nil
	}
	w, err := l.openLast()
	if err != nil {
		return err
	}
	name, err := l.saveTorn(w)
	if err != nil {
		return fmt.Errorf("the torn end of the log cannot be set aside: %w", err)
	}
	if t != nil {
		*t = Torn{Name: name, Size: l.state.tornSize}
	}
	l.mustLoad = true
	if err := w.Truncate(l.state.goodEnd); err != nil {
		return fmt.Errorf("the torn end of the log cannot be cut off: %w", err)
	}
	// Cut off in memory and not on disk, the next record would lie behind it.
	if err := w.Datasync(); err != nil {
		l.undecided = &Undecided{Cause: fmt.Errorf("the torn end of the log cannot be cut off: %w", err)}
		return l.undecided
	}
	l.state.tornSize, l.mustLoad = 0, false
	return nil
}

// saveTorn copies the torn bytes to a file of their own, durably. A copy that a killed process left stays too.
func (l *Log) saveTorn(w vfs.File) (string, error) {
	name, f, err := l.createTorn()
	if err != nil {
		return "", err
	}
	_, err = io.Copy(writerOnly{f}, io.NewSectionReader(w, l.state.goodEnd, l.state.tornSize))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = l.dir.Sync()
	}
	return name, err
}

// writerOnly hides the other methods of a file, so that io.Copy uses plain writes.
type writerOnly struct{ io.Writer }

// createTorn makes the file under a random name. So one call is enough, however many earlier ones were killed.
func (l *Log) createTorn() (string, vfs.File, error) {
	name := fmt.Sprintf("torn-%d-%s", l.state.head.Seq+1, strings.ToLower(rand.Text()[:10]))
	f, err := l.dir.Create(name, filePerm)
	return name, f, err
}
