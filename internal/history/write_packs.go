package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/history/internal/pack"
	"github.com/emend-dev/emend/internal/vfs"
)

var timeZero time.Time

// maxGrown is the size up to which a pack is replaced by one that has more. Beyond it another pack is begun.
const maxGrown = 1 << 20

// Item is a kept file, or a text, of a transaction that is finished.
type Item struct {
	Name string // of a slot or a text
	Sum  string // sha256 of the file that was displaced into the slot; "" for a text
	Like string // items that are alike have the same: the path of a file
	// Synced is the file as [History.SyncLoose] synced it. Pack syncs a file that is not like that any more.
	Synced vfs.Info
}

// Loose lists the files in the slots, by transaction.
func (h *History) Loose() (map[string][]string, error) {
	names, err := h.slots.Names()
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, name := range names {
		if tx, _, ok := strings.Cut(name, "."); ok && !strings.HasSuffix(name, leftKind) {
			out[tx] = append(out[tx], name)
		}
	}
	return out, nil
}

// Packable returns those of some loose files that may be packed as far as their size and kind tell.
func (h *History) Packable(names []string) (out []string, err error) {
	for _, name := range names {
		is, err := h.slots.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && is.Mode.IsRegular() && is.Size <= pack.MaxContent {
			out = append(out, name)
		}
	}
	return out, nil
}

// Packed counts what was packed.
type Packed struct {
	Files int
	Bytes int64 // before
}

// Pack puts items into a pack and then removes their files from the slots: those that a pack can keep as they are, and of
// these as many as have most bytes. It returns how many items it looked at. The caller holds the store's lock, and no
// transaction is pending.
//
// A pack keeps content, owner, permissions and modification time. So a file stays in its slot if it has anything else: a
// second name outside of its slot, an access list, an extended attribute, a hole, the setuid, setgid or sticky bit; or if it
// was written to since it was displaced, somebody has it open for writing, it is no regular file, it has over 4 MiB, or
// another user owns it.
//
// Whatever changes packs syncs, also for a caller that syncs nothing else: what it removes may have been durable.
func (h *History) Pack(items []Item, most int64) (n int, done Packed, err error) {
	w, err := h.writePacks(len(items) > 0)
	if w == nil || err != nil {
		return len(items), done, err
	}
	defer w.close()
	if err := w.dropLeft(); err != nil {
		return 0, done, err
	}
	if len(items) == 0 {
		return 0, done, nil
	}
	from, err := w.smallPack()
	if err != nil {
		return 0, done, err
	}
	var read []*looseFile
	var doubles []*looseFile
	for ; n < len(items) && done.Bytes < most; n++ {
		l, err := w.read(items[n])
		if err != nil {
			return n, done, err
		}
		if l == nil {
			continue
		}
		l.like = items[n].Like
		if c, _, err := h.packs.content(items[n].Name); err == nil {
			if items[n].Sum == "" || bytes.Equal(c, l.content) {
				doubles = append(doubles, l) // an interrupted Pack left it
			}
			continue
		}
		done.Files++
		done.Bytes += int64(len(l.content))
		read = append(read, l)
	}
	if len(read) > 0 {
		if err := w.add(from, read); err != nil {
			return n, Packed{}, err
		}
	}
	return n, done, w.removeLoose(slices.Concat(read, doubles))
}

// packWriter changes the packs of a history, under the store's lock.
type packWriter struct {
	*packs
	h   *History
	own vfs.Info // of the directory
	// sample is a file that has the attributes of every new file here; nil until it is needed.
	sample vfs.File
}

// writePacks removes what interrupted writers left. It returns nil if there are no packs, and create is not set or this
// process does not run as the owner of the store.
func (h *History) writePacks(create bool) (*packWriter, error) {
	w := &packWriter{packs: &h.packs, h: h}
	dir, err := w.directory()
	if err == nil && dir == nil && create {
		dir, err = w.makeDirectory()
	}
	if dir == nil || err != nil {
		return nil, err
	}
	if w.own, err = dir.Stat("."); err != nil {
		return nil, err
	}
	if err := ignoreMissing(dir.Remove(packDraft)); err != nil {
		return nil, err
	}
	return w, w.removeReplaced()
}

func (w *packWriter) close() {
	if w.sample != nil {
		w.sample.Close()
	}
}

func (w *packWriter) directory() (vfs.Dir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open()
}

func (w *packWriter) makeDirectory() (vfs.Dir, error) {
	slots := w.h.slots
	if err := slots.Mkdir(packsName, 0o700); err != nil {
		return nil, err
	}
	store, err := slots.Stat(".")
	made, merr := slots.Stat(packsName)
	if err = errors.Join(err, merr); err != nil {
		return nil, err
	}
	if made.UID != store.UID {
		return nil, slots.RemoveDir(packsName) // the superuser's packs would be of no use to the owner
	}
	if err := slots.Sync(); err != nil {
		return nil, err
	}
	return w.directory()
}

// removeReplaced removes packs whose replacement is there. It syncs: a pack that came back after its replacement was replaced in
// turn would have what has left the history since.
func (w *packWriter) removeReplaced() error {
	var replaced []string
	files, err := w.dir.Names()
	if err != nil {
		return err
	}
	err = w.each(nested(files), func(k *packFile) error {
		replaced = append(replaced, k.Replaces...)
		return nil
	})
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if !slices.ContainsFunc(files, func(file string) bool { return slices.Contains(replaced, file) }) {
		return nil
	}
	return errors.Join(w.removePacks(replaced), w.dir.Sync())
}

// nested returns a function that reports whether the transactions of a pack are all between the first and the last of another one of
// the files, or the other way round: one of the two may replace the other, which has all that it has or to which it adds. Other packs
// cannot, and are not read. Where many changes run at once most packs begin before the one before them ends.
func nested(files []string) func(file string) bool {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool { _, _, ok := packRange(file); return !ok })
	slices.SortFunc(files, func(a, b string) int {
		first, last, _ := packRange(a)
		begin, end, _ := packRange(b)
		return cmp.Or(strings.Compare(first, begin), strings.Compare(end, last))
	})
	found, latest, earliest := map[string]bool{}, "", "~" // before and behind each transaction
	for _, file := range files {
		_, last, _ := packRange(file)
		found[file], latest = last <= latest, max(last, latest) // one before it begins no later
	}
	for _, file := range slices.Backward(files) {
		_, last, _ := packRange(file)
		found[file], earliest = found[file] || earliest <= last, min(last, earliest)
	}
	return func(file string) bool { return found[file] }
}

func (w *packWriter) removePacks(files []string) error {
	for _, file := range files {
		if err := ignoreMissing(w.dir.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}

// rewrite removes the names from the packs for which gone is true, and everything of it. Packs that cannot have such a name
// are not read, frames that have none are not decompressed.
func (w *packWriter) rewrite(mayHave func(file string) bool, gone func(name string) bool) error {
	var hit []*packFile
	err := w.each(mayHave, func(k *packFile) error {
		if slices.ContainsFunc(k.Entries, func(e pack.Entry) bool { return gone(e.Name) }) {
			hit = append(hit, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range hit {
		var b pack.Builder
		if err := w.take(&b, k, func(e *pack.Entry) bool { return !gone(e.Name) }); err != nil {
			return err
		}
		if err := w.replace([]*packFile{k}, &b); err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) take(b *pack.Builder, k *packFile, keep func(*pack.Entry) bool) error {
	err := w.withFile(k.name, func(f vfs.File, _ int64) error { return b.Take(k.Pack, f, k.name, keep) })
	if err != nil {
		err = fmt.Errorf("slots/%s/%s: %w", packsName, k.name, err)
	}
	return err
}

// replace writes a pack and then removes those that it replaces. An empty one is not written.
func (w *packWriter) replace(old []*packFile, b *pack.Builder) error {
	var names []string
	for _, k := range old {
		names = append(names, k.name)
	}
	if !b.Empty() {
		if err := w.write(b); err != nil {
			return err
		}
	}
	if err := w.removePacks(names); err != nil {
		return err
	}
	return w.dir.Sync()
}

func (w *packWriter) write(b *pack.Builder) error {
	first, last := txOf(b.Entries()[0].Name), ""
	for _, e := range b.Entries() {
		first, last = min(first, txOf(e.Name)), max(last, txOf(e.Name))
	}
	data, err := b.Bytes()
	if err != nil {
		return err
	}
	if err := w.writeDraft(data); err != nil {
		w.dir.Remove(packDraft)
		return err
	}
	if err := w.dir.Rename(packDraft, w.dir, packFileName(first, last), vfs.Replace); err != nil {
		return err
	}
	return w.dir.Sync()
}

// writeDraft writes a file that has data, and reads it again.
func (w *packWriter) writeDraft(data []byte) error {
	f, err := w.dir.Create(packDraft, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	is, err := f.Stat()
	if err == nil && is.UID != w.own.UID {
		err = f.Give(w.own.UID, w.own.GID, 0o600)
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	have := make([]byte, len(data)+1)
	n, err := f.ReadAt(have, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if !bytes.Equal(have[:n], data) {
		return fmt.Errorf("slots/%s/%s: what was written is not what is read", packsName, packDraft)
	}
	return nil
}

// smallPack returns a pack that is to grow, all of which can be read; nil if another one is to be begun.
func (w *packWriter) smallPack() (small *packFile, err error) {
	err = w.each(func(file string) bool {
		is, err := w.dir.Stat(file)
		return err == nil && is.Size < maxGrown
	}, func(k *packFile) error {
		if err := w.check(k); err != nil {
			return err
		}
		small = k
		return nil
	})
	if errors.Is(err, ErrDamaged) {
		err = nil
	}
	return small, err
}

// add makes a pack of files and of what from has.
func (w *packWriter) add(from *packFile, files []*looseFile) error {
	var b pack.Builder
	var old []*packFile
	if from != nil {
		old = append(old, from)
		if err := w.take(&b, from, func(*pack.Entry) bool { return true }); err != nil {
			return err
		}
	}
	// Versions of one file become neighbours; the order is else that of the transactions.
	slices.SortStableFunc(files, func(x, y *looseFile) int { return strings.Compare(x.like, y.like) })
	for _, l := range files {
		b.Add(l.entry, l.content)
	}
	return w.replace(old, &b)
}

// dropLeft removes from the packs what has left the history, and then the marks of that.
func (w *packWriter) dropLeft() error {
	names, err := w.h.slots.Names()
	if err != nil {
		return err
	}
	left, txs := leftNames(names), map[string]bool{}
	if len(left) == 0 {
		return nil
	}
	for name := range left {
		txs[txOf(name)] = true
	}
	if err := w.rewrite(mayHaveAny(txs), func(name string) bool { return left[name] }); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if err := ignoreMissing(w.h.slots.Remove(leftName(name))); err != nil {
			return err
		}
	}
	return nil
}

// mayHaveAny returns a function that reports whether a pack may have something of one of the transactions.
func mayHaveAny(txs map[string]bool) func(file string) bool {
	sorted := slices.Sorted(maps.Keys(txs))
	return func(file string) bool {
		first, last, ok := packRange(file)
		i, _ := slices.BinarySearch(sorted, first)
		return ok && i < len(sorted) && sorted[i] <= last
	}
}

// leftName is the name of the mark that says that what a pack has of a slot has left the history.
func leftName(slot string) string { return slot + leftKind }

const leftKind = ".left"

// leftNames returns what has left, by the names in the directory of the slots.
func leftNames(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		if of, ok := strings.CutSuffix(name, leftKind); ok {
			out[of] = true
		}
	}
	return out
}

// Leave makes what is packed of a slot leave the history: the file is in the tree again. Its bytes leave with the next Pack.
// It does not sync.
func (h *History) Leave(slot string) error {
	_, err := h.packs.find(slot)
	if err != nil {
		return ignoreMissing(err)
	}
	// It tries twice: what stays by accident would stay for good.
	if err = h.markLeft(slot); err != nil {
		err = h.markLeft(slot)
	}
	return err
}

func (h *History) markLeft(slot string) error {
	f, err := h.slots.Create(leftName(slot), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Remove removes names, and everything that the slots have of transactions, from slots and packs. What it removes from packs
// is durable when it returns. The caller holds the store's lock.
func (h *History) Remove(names []string, txs map[string]bool) error {
	w, err := h.writePacks(false)
	if err != nil {
		return err
	}
	if w != nil {
		// The same content may have been restored, changed and kept again: no byte of what has left may stay either.
		if err := w.dropLeft(); err != nil {
			return err
		}
		going := map[string]bool{}
		for _, name := range names {
			going[name] = true
		}
		if err := w.rewrite(mayHaveAny(txsOf(names, txs)), func(name string) bool { return going[name] || txs[txOf(name)] }); err != nil {
			return err
		}
	}
	if len(txs) > 0 {
		all, err := h.slots.Names()
		if err != nil {
			return err
		}
		for _, name := range all {
			if tx, _, ok := strings.Cut(name, "."); ok && txs[tx] {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if err := ignoreMissing(h.slots.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// CheckRemoval fails if Remove cannot do its work, since a pack is damaged that may have something of names or transactions.
func (h *History) CheckRemoval(names []string, txs map[string]bool) error {
	return h.packs.each(mayHaveAny(txsOf(names, txs)), func(*packFile) error { return nil })
}

// txsOf returns transactions and those that names belong to.
func txsOf(names []string, txs map[string]bool) map[string]bool {
	all := map[string]bool{}
	maps.Copy(all, txs)
	for _, name := range names {
		all[txOf(name)] = true
	}
	return all
}
