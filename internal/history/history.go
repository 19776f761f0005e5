// Package history keeps what transactions displaced: the files themselves, in the slots that a commit exchanged them
// into, so that nothing is copied and nothing is moved in front of an answer.
//
// A transaction's slots are numbered. Before the commit point a slot has the new content that is to take a file's
// place, or is reserved and empty; afterwards it has what was there before, and its name is how a person asks for it
// back. All slots of a store lie in one directory, which exists before any transaction does: one sync of it makes
// all names of a transaction durable.
//
// A transaction that is being staged has a marker, locked for as long as its process lives. A marker that nobody
// has locked is what a dead process left, and says which slots are garbage if the log does not know the transaction.
// Markers are never synced: a power cut can lose one and leave slots that only [History.Orphans] finds. A process that makes
// many transactions uses its markers again.
//
// It decides nothing about users' files and cannot reach them.
package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// The directories of a store that are history's.
const (
	slotsName   = "slots"
	stagingName = "staging"
)

// History is the slots and markers of one store.
type History struct {
	slots, staging vfs.Dir
	alive          sync.Map // the markers of this process, by name: nobody needs to ask the disk for them
	spares         spareMarkers
}

// Create makes the directories in store and syncs nothing; the caller syncs store.
func Create(store vfs.Dir) error {
	for _, name := range []string{slotsName, stagingName} {
		if err := store.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Open opens the history of store.
func Open(store vfs.Dir) (*History, error) {
	slots, err := store.Dir(slotsName)
	if err != nil {
		return nil, err
	}
	staging, err := store.Dir(stagingName)
	if err != nil {
		slots.Close()
		return nil, err
	}
	return &History{slots: slots, staging: staging}, nil
}

// Close lets go of the directories.
func (h *History) Close() error {
	h.dropSpareMarkers()
	return errors.Join(h.slots.Close(), h.staging.Close())
}

// Slots is the directory of the slots.
func (h *History) Slots() vfs.Dir { return h.slots }

// NewID names a transaction: the time, for people who read it in a list, and enough chance to be unique. It is no
// secret, and the runtime's own generator, which the kernel seeds for each process, starts no clock and no thread.
func NewID(now time.Time) string {
	id := now.UTC().AppendFormat(nil, "20060102-150405-")
	n := rand.Uint64()
	for range 10 {
		id = append(id, "abcdefghijklmnopqrstuvwxyz234567"[n%32])
		n /= 32
	}
	return string(id)
}

// TimeOf is when a transaction was named, if it is one.
func TimeOf(tx string) (at time.Time, ok bool) {
	i := strings.LastIndexByte(tx, '-')
	if i < 0 || len(tx)-i != 11 {
		return at, false
	}
	at, err := time.Parse("20060102-150405", tx[:i])
	return at, err == nil
}

// Slot is the name of slot n of a transaction. It is also the name of what was displaced, for people.
func Slot(tx string, n int) string { return tx + "." + strconv.Itoa(n) }

// ParseSlot splits the name of a slot; ok is false for any other name.
func ParseSlot(name string) (tx string, n int, ok bool) {
	tx, number, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	if _, made := TimeOf(tx); !made || err != nil || n < 0 || Slot(tx, n) != name {
		return "", 0, false
	}
	return tx, n, true
}

// NewLink is the second name of the new content of a slot, and OldLink that of what its transaction displaces: file
// systems without a journal need them. Aside is the name of what is on its way into a slot where two names cannot be
// exchanged.
func NewLink(slot string) string { return slot + ".new" }

// OldLink is described at [NewLink]. Where there is one it is what was displaced, whatever the slot has.
func OldLink(slot string) string { return slot + ".old" }

// Aside is described at [NewLink].
func Aside(slot string) string { return slot + ".aside" }

// TakenBackName is the name that says of a transaction that it was taken back, whatever the log has of it.
func TakenBackName(tx string) string { return tx + ".back" }

// Names are all names that a slot may have.
func Names(slot string) []string { return []string{slot, NewLink(slot), OldLink(slot), Aside(slot)} }

// DiffName is the name of a transaction's diff, and of its answer if it was asked for under a key.
func DiffName(tx string) string   { return tx + ".diff" }
func AnswerName(tx string) string { return tx + ".answer" }

// Stage is a transaction that is being staged. Its marker is locked until End.
type Stage struct {
	h *History
	marker
}

// marker is the file of a transaction that is being staged, or a spare one.
type marker struct {
	file vfs.File
	name string
}

// ErrTaken says that somebody took the marker of a transaction for that of a dead process, in the moment between its
// making and its locking. Begin again, under another name.
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
		// Between the two calls somebody could have taken the marker for a dead one and removed it.
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

// End takes the marker away. The slots stay.
func (s *Stage) End() error {
	defer s.h.alive.Delete(s.name)
	if s.keepMarker() {
		return nil
	}
	return errors.Join(ignoreMissing(s.h.staging.Remove(s.name)), s.file.Close())
}

// TxState is what became of a transaction that a dead process had been staging.
type TxState uint8

// The fates of a transaction.
const (
	NeverCommitted TxState = iota // it was never committed
	Pending                       // it was, and has not come to its end
	Ended                         // it was, and has
)

// Sweep takes away what dead processes left of transactions that were never committed; fate says which were. It is
// called with the store's lock held.
func (h *History) Sweep(fate func(tx string) (TxState, error)) (swept []string, err error) {
	names, err := h.staging.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, alive := h.alive.Load(name); alive {
			continue
		}
		tx, err := h.sweepMarker(name, fate)
		if err != nil {
			return swept, err
		}
		if tx != "" {
			swept = append(swept, tx)
		}
	}
	return swept, nil
}

// sweepMarker sweeps what belongs to a marker that nobody has locked. It has the marker locked meanwhile, to its end: who
// has just made it and comes to lock it must not find it free while its slots are taken away.
func (h *History) sweepMarker(marker string, fate func(tx string) (TxState, error)) (tx string, err error) {
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
		return "", err // its owner has ended it since
	}
	return h.sweepTx(marker, fate)
}

func (h *History) sweepTx(marker string, fate func(string) (TxState, error)) (tx string, err error) {
	tx, count, _ := strings.Cut(marker, "+")
	n, err := strconv.Atoi(count)
	if err != nil {
		return "", h.staging.Remove(marker) // not one of ours
	}
	end, err := fate(tx)
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

// removeSpareNames removes the names that a transaction needs no more when it has come to its end, and that a process which died
// right after that has left: those of files that stand in the tree.
func (h *History) removeSpareNames(tx string, n int) error {
	errs := []error{ignoreMissing(h.slots.Remove(TakenBackName(tx)))}
	for i := range n {
		errs = append(errs, ignoreMissing(h.slots.Remove(NewLink(Slot(tx, i)))))
	}
	return errors.Join(errs...)
}

// Discard removes every name of n slots of a transaction.
func (h *History) Discard(tx string, n int) error {
	for i := range n {
		for _, name := range Names(Slot(tx, i)) {
			if err := ignoreMissing(h.slots.Remove(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Orphans lists the transactions that have slots but that known does not know, and that nobody is staging.
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

// Find returns the name under which the file lies that a slot keeps, and describes it: the slot itself, or the second
// name of what was displaced. It fails with fs.ErrNotExist when nothing is kept there.
func (h *History) Find(slot string) (name string, is vfs.Info, err error) {
	for _, name = range []string{OldLink(slot), slot} {
		if is, err = h.slots.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return name, is, err
		}
	}
	return "", is, err
}

// WriteText writes what belongs to a transaction but is not needed to recover it, under a name of its own. It is not
// synced.
func (h *History) WriteText(name, text string) error {
	f, err := h.slots.Create(name, 0o600)
	if err != nil {
		return err
	}
	buf := make([]byte, max(1, min(len(text), 256<<10))) // a string written whole would be copied whole
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{strings.NewReader(text)}, buf)
	return errors.Join(err, f.Close())
}

// ReadText reads what Keep wrote.
func (h *History) ReadText(name string) (string, error) {
	f, err := h.slots.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Usage is how much a history holds.
type Usage struct {
	Files int
	Bytes int64
}

// Usage counts the slots and what belongs to them.
func (h *History) Usage() (Usage, error) {
	var u Usage
	names, err := h.slots.Names()
	if err != nil {
		return u, err
	}
	for _, name := range names {
		is, err := h.slots.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return u, err
		}
		u.Files++
		u.Bytes += is.Size
	}
	return u, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
