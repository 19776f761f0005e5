package history

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/vfs"
)

// Stage is a transaction that is being staged. Its marker is locked until End.
type Stage struct {
	h *History
	marker
}

// marker is the marker file of a transaction that is being staged, or a spare one.
type marker struct {
	file vfs.File
	name string
}

// ErrTaken says that another process took the marker for that of a dead process, in the moment between its creation and
// its lock. Begin again, under another name.
var ErrTaken = errors.New("the marker of a transaction is taken")

// Begin marks transaction tx, which has n slots, as being staged by this process.
func (h *History) Begin(tx string, n int) (*Stage, error) {
	s := &Stage{h: h, marker: marker{name: fmt.Sprintf("%s+%d", tx, n)}}
	h.alive.Store(s.name, true)
	if s.reuse() {
		return s, nil
	}
	if err := s.lock(); err != nil {
		h.alive.Delete(s.name)
		return nil, err
	}
	return s, nil
}

func (s *Stage) lock() (err error) {
	if s.file, err = s.h.staging.Create(s.name, 0o600); err != nil {
		return err
	}
	mine, err := s.file.TryLock()
	if err == nil && mine {
		// Between the two calls a sweep could have taken the marker for a dead one and removed it.
		if is, serr := s.file.Stat(); serr == nil && is.Links > 0 {
			return nil
		}
	}
	s.file.Close()
	if err == nil {
		err = ErrTaken
	}
	return err
}

// End removes the marker. The slots stay.
func (s *Stage) End() error {
	defer s.h.alive.Delete(s.name)
	if s.keepMarker() {
		return nil
	}
	return errors.Join(ignoreMissing(s.h.staging.Remove(s.name)), s.file.Close())
}

// TxState is the state of a transaction that a dead process had been staging.
type TxState uint8

// The states.
const (
	NeverCommitted TxState = iota // the log does not have it
	Pending                       // committed, and neither applied nor taken back
	Ended                         // committed, and ended
)

// Sweep removes what dead processes left of transactions that were never committed. state returns the state of a
// transaction. The caller holds the store's lock.
func (h *History) Sweep(state func(tx string) (TxState, error)) (swept []string, err error) {
	names, err := h.staging.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, alive := h.alive.Load(name); alive {
			continue
		}
		tx, err := h.sweepMarker(name, state)
		if err != nil {
			return swept, err
		}
		if tx != "" {
			swept = append(swept, tx)
		}
	}
	return swept, nil
}

// sweepMarker sweeps the transaction of a marker that nobody has locked. It holds the marker's lock meanwhile: a
// process that has just made the marker and comes to lock it must not find it free while its slots are removed.
func (h *History) sweepMarker(marker string, state func(tx string) (TxState, error)) (tx string, err error) {
	f, err := h.staging.Open(marker)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if mine, err := f.TryLock(); err != nil || !mine {
		return "", err
	}
	if is, err := f.Stat(); err != nil || is.Links == 0 {
		return "", err // its owner ended it since
	}
	return h.sweepTx(marker, state)
}

func (h *History) sweepTx(marker string, state func(string) (TxState, error)) (tx string, err error) {
	tx, count, _ := strings.Cut(marker, "+")
	n, err := strconv.Atoi(count)
	if err != nil {
		return "", h.staging.Remove(marker) // not a marker of a transaction
	}
	end, err := state(tx)
	if err != nil || end == Pending {
		return "", err
	}
	if end == Ended {
		return "", errors.Join(h.removeSpareNames(tx, n), ignoreMissing(h.staging.Remove(marker)))
	}
	if err := h.Discard(tx, n); err != nil {
		return "", err
	}
	return tx, ignoreMissing(h.staging.Remove(marker))
}

// removeSpareNames removes names that an ended transaction no longer needs and that a process left which died right
// after: those of files that are in the tree.
func (h *History) removeSpareNames(tx string, n int) error {
	errs := []error{ignoreMissing(h.slots.Remove(TakenBackName(tx)))}
	for i := range n {
		errs = append(errs, ignoreMissing(h.slots.Remove(NewLink(Slot(tx, i)))))
	}
	return errors.Join(errs...)
}

// Orphans lists the transactions that have slots, that nobody is staging, and that known does not report.
func (h *History) Orphans(known func(tx string) (bool, error)) ([]string, error) {
	names, err := h.slots.Names()
	if err != nil {
		return nil, err
	}
	live, err := h.staging.Names()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range live {
		tx, _, _ := strings.Cut(name, "+")
		seen[tx] = true
	}
	var out []string
	for _, name := range names {
		tx, _, ok := strings.Cut(name, ".")
		if !ok || seen[tx] {
			continue
		}
		seen[tx] = true
		if ok, err := known(tx); err != nil {
			return nil, err
		} else if !ok {
			out = append(out, tx)
		}
	}
	return out, nil
}
