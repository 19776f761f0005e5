package wait

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// Ask puts a question to whoever looks, and waits until it is answered, its deadline passes, nobody looks any more or ctx
// ends: then it is withdrawn, and an answer that comes later is refused. ErrNoPage says that nobody looked from the start.
// Whenever some time has passed, waits is told how much is left.
func (b *Board) Ask(ctx context.Context, q Question, waits func(left time.Duration)) (Answer, error) {
	open, err := b.Attended(q.Prefix)
	if err != nil {
		return Answer{}, err
	}
	if !open {
		return Answer{}, ErrNoPage
	}
	q.ID = newID("q")
	f, err := b.put(q)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close()
	defer b.dir.Remove(q.ID + askKind)
	why := b.await(ctx, q, waits)
	if why != nil {
		if err := b.withdraw(q); !errors.Is(err, fs.ErrExist) {
			return Answer{}, errors.Join(why, err)
		}
	}
	return b.answerTo(q)
}

// put adds a question to those that wait, if there is room for it.
func (b *Board) put(q Question) (vfs.File, error) {
	if len(q.Paths) > MaxPaths {
		return nil, ErrTooLong
	}
	b.hang.Lock()
	defer b.hang.Unlock()
	if err := b.room(); err != nil {
		return nil, err
	}
	return b.post(q.ID+askKind, q)
}

// room is ErrFull where there is none for another question. It counts again before it says so: a dead process's file that
// somebody else was about to remove looked as if it was held.
func (b *Board) room() error {
	for range 3 {
		asks, answers, err := b.tidy(time.Now())
		if err != nil || len(asks) < MaxQuestions && answers < maxAnswers {
			return err
		}
	}
	return ErrFull
}

// await returns when there is an answer, or with the reason why none is waited for any longer.
func (b *Board) await(ctx context.Context, q Question, waits func(left time.Duration)) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	looked := time.Now()
	for {
		if _, err := b.dir.Stat(q.ID + answerKind); !missing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		now := time.Now()
		if !now.Before(q.Deadline) {
			return ErrLate
		}
		if now.Sub(looked) < pagesEvery {
			continue
		}
		looked = now
		if open, err := b.Attended(q.Prefix); err != nil || !open {
			return errors.Join(err, ErrLeft)
		}
		waits(q.Deadline.Sub(now))
	}
}

// withdraw takes the place of an answer; fs.ErrExist where there is one.
func (b *Board) withdraw(q Question) error {
	f, err := b.post(q.ID+answerKind, Answer{ID: q.ID, Digest: q.Digest, Withdrawn: true})
	if err != nil {
		return err
	}
	return f.Close()
}

// answerTo reads the answer that is there. It has to be one to this very question.
func (b *Board) answerTo(q Question) (a Answer, err error) {
	f, err := b.dir.Open(q.ID + answerKind)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrGarbled, err)
	}
	defer f.Close()
	if err := parse(f, maxAnswer, &a); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrGarbled, err)
	}
	if a.ID != q.ID || a.Digest != q.Digest || a.Withdrawn {
		return Answer{}, fmt.Errorf("%w: it is to another question", ErrGarbled)
	}
	return a, nil
}
