package board

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/vfs"
)

// Ask posts a question and waits for its answer. It returns ErrNoPage at once if no page that would show the question is open.
// If the deadline passes, the last such page is closed or ctx ends, Ask withdraws the question and returns the reason; an answer
// that comes later is refused. Ask calls waits about once a second with the time that is left.
func (b *Board) Ask(ctx context.Context, q Question, waits func(left time.Duration)) (Answer, error) {
	open, err := b.HasPage(q)
	if err != nil {
		return Answer{}, err
	}
	if !open {
		return Answer{}, ErrNoPage
	}
	q.ID = newID("q")
	f, err := b.addQuestion(q)
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
	return b.readAnswer(q)
}

// addQuestion posts a question, unless the board is full.
func (b *Board) addQuestion(q Question) (vfs.File, error) {
	if len(q.Paths) > MaxPaths {
		return nil, ErrTooLong
	}
	b.addMu.Lock()
	defer b.addMu.Unlock()
	if err := b.checkRoom(); err != nil {
		return nil, err
	}
	return b.post(q.ID+askKind, q)
}

// checkRoom returns ErrFull if the board is full. It counts up to three times: a dead process's file that another process is
// about to remove is locked for a moment, and looks like a live one.
func (b *Board) checkRoom() error {
	for range 3 {
		asks, answers, err := b.removeStale(time.Now())
		if err != nil || len(asks) < MaxQuestions && answers < maxAnswers {
			return err
		}
	}
	return ErrFull
}

// await returns nil when there is an answer, or the reason to stop waiting.
func (b *Board) await(ctx context.Context, q Question, waits func(left time.Duration)) error {
	tick := time.NewTicker(answerPoll)
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
			return ErrTimeout
		}
		if now.Sub(looked) < pagePoll {
			continue
		}
		looked = now
		if open, err := b.HasPage(q); err != nil || !open {
			return errors.Join(err, ErrPageClosed)
		}
		waits(q.Deadline.Sub(now))
	}
}

// withdraw posts a withdrawal in the place of the answer. It returns fs.ErrExist if an answer is there already.
func (b *Board) withdraw(q Question) error {
	f, err := b.post(q.ID+answerKind, Answer{ID: q.ID, Digest: q.Digest, Withdrawn: true})
	if err != nil {
		return err
	}
	return f.Close()
}

// readAnswer reads the answer and checks that it is to this very question.
func (b *Board) readAnswer(q Question) (a Answer, err error) {
	f, err := b.dir.Open(q.ID + answerKind)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	if err := readJSON(f, maxAnswer, &a); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if a.ID != q.ID || a.Digest != q.Digest || a.Withdrawn {
		return Answer{}, fmt.Errorf("%w: it is to another question", ErrUnreadable)
	}
	if q.PageOnly && a.By != api.AnsweredByPage {
		return Answer{}, ErrPageOnly
	}
	return a, nil
}
