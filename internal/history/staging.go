package history

import (
	"errors"
	"fmt"
	"slices"
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
	f, err := s.h.staging.Create(s.name, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if s.file == nil { // also in a panic
			f.Close()
		}
	}()
	mine, err := f.TryLock()
	if err == nil && mine {
		// Between the two calls a sweep could have taken the marker for a dead one and removed it.
		if is, serr := f.Stat(); serr == nil && is.Links > 0 {
			s.file = f
			return nil
		}
	}
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
	return s.h.removeMarker(s.marker)
}

// removeMarker removes a marker and closes it. A process that goes on after a panic does not keep it open.
func (h *History) removeMarker(m marker) (err error) {
	defer func() { err = errors.Join(err, m.file.Close()) }()
	return ignoreMissing(h.staging.Remove(m.name))
}

// Leave leaves the marker, as a process does that is killed: the next sweep sees to the transaction.
func (s *Stage) Leave() error {
	defer s.h.alive.Delete(s.name)
	return s.file.Close()
}

// TxState is the state of a transaction that a dead process had been staging.
type TxState uint8

// The states.
const (
	NeverCommitted TxState = iota // the log does not have it
	Pending                       // committed, and neither applied nor taken back
	Ended                         // committed, and ended
)

// maxSwept is how many dead transactions are swept at once, since their markers are held open meanwhile.
const maxSwept = 64

// Sweep removes what dead processes left of transactions that were never committed. states returns the states of
// transactions; it is asked about many at once. The caller holds the store's lock.
func (h *History) Sweep(states func(txs []string) (func(tx string) TxState, error)) (swept []string, err error) {
	names, err := h.staging.Names()
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(names, maxSwept) {
		txs, err := h.sweepPart(part, states)
		swept = append(swept, txs...)
		if err != nil {
			return swept, err
		}
	}
	return swept, nil
}

// sweepPart locks the markers that nobody has locked, and sweeps their transactions. The markers stay locked meanwhile: a process
// that has just made its marker and comes to lock it must not find it free while its slots are removed.
func (h *History) sweepPart(names []string, states func([]string) (func(string) TxState, error)) (swept []string, err error) {
	var dead []marker
	defer func() {
		for _, m := range dead {
			m.file.Close()
		}
	}()
	locked := map[vfs.ID]bool{}
	for _, name := range names {
		f, err := h.lockDead(name, locked)
		if err != nil {
			return nil, err
		}
		if f != nil {
			dead = append(dead, marker{f, name})
		}
	}
	return h.sweepMarkers(dead, states)
}

// lockDead opens and locks a marker. It returns nil if the marker is that of a living process, or gone. locked has the markers that
// are locked already.
func (h *History) lockDead(name string, locked map[vfs.ID]bool) (dead vfs.File, err error) {
	if _, alive := h.alive.Load(name); alive {
		return nil, nil
	}
	f, err := h.staging.Open(name)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer func() {
		if dead == nil { // also in a panic
			f.Close()
		}
	}()
	mine, err := f.TryLock()
	is, serr := f.Stat()
	// A power cut during a rename can leave two names of one marker.
	mine = mine || err == nil && locked[is.ID]
	if err = errors.Join(err, serr); err != nil || !mine || is.Links == 0 { // without a name its owner ended it since
		return nil, err
	}
	locked[is.ID] = true
	return f, nil
}

// sweepMarkers sweeps the transactions of dead markers.
func (h *History) sweepMarkers(dead []marker, states func([]string) (func(string) TxState, error)) (swept []string, err error) {
	var txs []string
	for _, m := range dead {
		if tx, _, ok := m.transaction(); ok {
			txs = append(txs, tx)
		} else if err := h.staging.Remove(m.name); err != nil {
			return nil, err
		}
	}
	if len(txs) == 0 {
		return nil, nil
	}
	state, err := states(txs)
	if err != nil {
		return nil, err
	}
	for _, m := range dead {
		tx, n, ok := m.transaction()
		if !ok {
			continue
		}
		garbage, err := h.sweepTx(m.name, tx, n, state(tx))
		if err != nil {
			return swept, err
		}
		if garbage {
			swept = append(swept, tx)
		}
	}
	return swept, nil
}

// transaction returns the transaction of a marker and how many slots it has; a spare marker has none.
func (m marker) transaction() (tx string, slots int, ok bool) {
	tx, count, _ := strings.Cut(m.name, "+")
	slots, err := strconv.Atoi(count)
	return tx, slots, err == nil
}

// sweepTx sweeps a transaction with n slots. It reports whether these were garbage.
func (h *History) sweepTx(marker, tx string, n int, state TxState) (garbage bool, err error) {
	switch state {
	case Pending:
		return false, nil
	case Ended:
		err = h.removeSpareNames(tx, n)
	default:
		garbage, err = true, h.Discard(tx, n)
	}
	if err != nil {
		return false, err
	}
	return garbage, ignoreMissing(h.staging.Remove(marker))
}

// removeSpareNames removes names that an ended transaction no longer needs and that a process left which died right
// after: those of files that are in the tree.
func (h *History) removeSpareNames(tx string, n int) error {
	errs := []error{ignoreMissing(h.slots.Remove(TakenBackName(tx)))}
	for i := range n {
		errs = append(errs, ignoreMissing(h.slots.Remove(NewLink(Slot(tx, i)))))
	}
	return errors.Join(append(errs, h.dropDirs(tx, n))...)
}

// Orphans lists the transactions that have slots, that nobody is staging, and that are not among those that known
// returns.
func (h *History) Orphans(known func(txs []string) (map[string]bool, error)) ([]string, error) {
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
	var txs []string
	for _, name := range names {
		// What has left a pack is of a transaction that the log has; the mark may be newer than the caller's look at the log.
		if tx, _, ok := strings.Cut(name, "."); ok && !seen[tx] && !strings.HasSuffix(name, leftKind) {
			txs, seen[tx] = append(txs, tx), true
		}
	}
	if len(txs) == 0 {
		return nil, nil
	}
	is, err := known(txs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(txs, func(tx string) bool { return is[tx] }), nil
}
