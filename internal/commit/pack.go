package commit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

const (
	packEvery = 256      // records of the log: 128 changes
	keepLoose = 100      // transactions, the newest: they are the ones that are undone, and come back as the files that they were
	packTxs   = 256      // transactions at once, while others wait for the lock; who has more to pack waits for the lock
	packBytes = 16 << 20 // the same for the size of their files
	// Unless all are asked for, it reads the log back until it has found maxFound transactions, or none in maxGap records.
	maxFound = 8192
	maxGap   = 32768
	// So many are looked up by the index. To read is quicker for more.
	maxLookedUp = 1024
	// Unless all are asked for, it ends after maxPacking, if at most maxBehind transactions are left. Both bound how long it waits
	// for a turn, and how far a store can fall behind that has more changes than it packs in the time.
	maxPacking = time.Second
	maxBehind  = 4096
)

// PackDue reports whether many changes were made since the store was opened or last packed. It costs nothing. Of processes
// that make one change each, every 128th is told so.
func (s *Store) PackDue() bool { return s.log.Head().Seq/packEvery != s.packedAt.Load()/packEvery }

// Pack packs what finished transactions displaced, except the newest: a part at a time, until ctx ends or nothing is left.
// With all it packs every one, and waits for the lock. Else it leaves out those that are far back in the log. When somebody has the
// lock it then stops, without an error, unless so much is left that the slots would fill up while nobody ever lets go of it: it
// waits for its turn. It ends after a second, or when it has caught up. It may be interrupted at any point and run again.
func (s *Store) Pack(ctx context.Context, all bool) (done history.Packed, err error) {
	if err := s.log.Refresh(); err != nil {
		return done, storeError(err)
	}
	s.packedAt.Store(s.log.Head().Seq)
	found, err := s.packable(all)
	if err != nil {
		return done, storeError(err)
	}
	defer func() {
		if err == nil && len(found) > packTxs {
			s.packedAt.Store(0) // the rest is due at once
		}
	}()
	begin := time.Now()
	more := func() bool {
		return len(found) > 0 && ctx.Err() == nil && (all || len(found) > maxBehind || time.Since(begin) < maxPacking)
	}
	for first := true; first || more(); first = false {
		wait := time.Duration(0)
		switch {
		case all:
			wait = lockTimeout
		case len(found) > packTxs:
			wait = maxPacking
		}
		n, part, err := s.packPart(ctx, found[:min(len(found), packTxs)], wait)
		if !all && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
			return done, nil // its turn did not come in time
		}
		done.Files += part.Files
		done.Bytes += part.Bytes
		if n == 0 && part.Files == 0 || err != nil {
			return done, err
		}
		found = found[n:]
	}
	return done, nil
}

// packPart packs the first transactions, and returns of how many it is done. It waits for the lock for some time.
func (s *Store) packPart(ctx context.Context, txs [][]history.Item, wait time.Duration) (n int, done history.Packed, err error) {
	items := slices.Concat(txs...)
	err = parallel(len(items), syncWorkers, func(i int) error { return s.hist.SyncLoose(&items[i], s.isRecent) })
	if err != nil {
		return 0, done, storeError(err)
	}
	unlock, err := s.tryLock()
	if err == nil && unlock == nil && wait > 0 {
		turn, cancel := context.WithTimeout(ctx, wait)
		unlock, err = s.lock(turn)
		cancel()
	}
	if err != nil || unlock == nil {
		return 0, done, err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return 0, done, err
	}
	if r, err := s.log.Pending(); err != nil || len(r) > 0 {
		return 0, done, storeError(err)
	}
	if len(txs) > 0 {
		if err := s.raiseFormat(); err != nil {
			return 0, done, storeError(err)
		}
	}
	looked, done, err := s.hist.Pack(items, packBytes)
	if err != nil {
		return 0, done, storeError(err)
	}
	for n < len(txs) && looked >= len(txs[n]) {
		looked -= len(txs[n])
		n++
	}
	return n, done, nil
}

// packable returns the items of each transaction that has something to pack, the oldest transaction first.
func (s *Store) packable(all bool) (out [][]history.Item, err error) {
	loose, err := s.hist.Loose()
	if err != nil {
		return nil, err
	}
	newer, gap := 0, 0
	ended := map[string]bool{}
	q := audit.Query{Need: func(_ audit.Kind, line []byte) audit.Detail {
		if loose[audit.TxOf(line)] != nil {
			return audit.Full
		}
		return audit.WithActor
	}}
	read := func(until func() bool) error {
		for r, err := range s.log.Query(q) {
			if err != nil {
				return err
			}
			if gap++; until() {
				return nil
			}
			q.Before = r.Seq
			switch r.Kind {
			case audit.Applied, audit.Recovered:
				ended[r.Tx] = r.OK
			case audit.Commit, audit.Undo:
				if newer++; newer > s.keepLoose && ended[r.Tx] && loose[r.Tx] != nil {
					names, err := s.hist.Packable(loose[r.Tx])
					if err != nil {
						return err
					}
					if items := itemsOf(r, names); len(items) > 0 {
						out, gap = append(out, items), 0
					}
				}
				q.Keys.Remove(audit.ByTx, r.Tx)
				delete(loose, r.Tx)
				delete(ended, r.Tx)
			}
		}
		return nil
	}
	far := func() bool { return len(loose) == 0 || !all && (gap > maxGap || len(out) == maxFound) }
	// The newest are counted, one record after the other. Of the others the index says where they are.
	if err := read(func() bool { return newer >= s.keepLoose || far() }); err != nil {
		return nil, err
	}
	if len(loose) <= maxLookedUp {
		q.Keys = audit.Keys{}
		for tx := range loose {
			q.Keys.Add(audit.ByTx, tx)
		}
	}
	if err := read(far); err != nil {
		return nil, err
	}
	slices.Reverse(out)
	return out, nil
}

// itemsOf lists what there is to pack of a finished transaction: the files that it displaced, its diff and its answer.
func itemsOf(r *audit.Record, names []string) (out []history.Item) {
	for _, name := range []string{history.DiffName(r.Tx), history.AnswerName(r.Tx)} {
		if slices.Contains(names, name) {
			out = append(out, history.Item{Name: name})
		}
	}
	for _, a := range r.Acts {
		slot := history.Slot(r.Tx, a.Slot)
		if a.Old == nil || a.Old.Link || a.Old.Sum == "" || a.Gone || !a.Displaces() {
			continue
		}
		if slices.Contains(names, slot) || slices.Contains(names, history.OldLink(slot)) {
			out = append(out, history.Item{Name: slot, Sum: a.Old.Sum, Like: a.Path})
		}
	}
	return out
}
