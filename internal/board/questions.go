package board

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
)

// List returns the questions that wait below prefix, oldest first.
func (b *Board) List(prefix string) ([]Question, error) {
	names, _, err := b.removeStale(time.Now())
	if err != nil {
		return nil, err
	}
	var out []Question
	for _, name := range names {
		if len(out) == 2*MaxQuestions {
			break
		}
		q, err := b.Find(strings.TrimSuffix(name, askKind), prefix)
		if err == nil {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(x, y Question) int { return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.ID, y.ID)) })
	return out, nil
}

// Find returns a question that waits below prefix. It returns ErrNotWaiting if there is none, and the question with
// ErrAnswered if an answer is posted already.
func (b *Board) Find(id, prefix string) (q Question, err error) {
	if !IsID(id) {
		return q, ErrNotWaiting
	}
	f, err := b.openLive(id + askKind)
	if err != nil {
		return q, ErrNotWaiting
	}
	defer f.Close()
	err = readJSON(f, maxFile, &q)
	whole := err == nil && q.ID == id && len(q.Paths) > 0 && len(q.Paths) <= MaxPaths
	if !whole || !covers(prefix, q.Prefix) || !time.Now().Before(q.Deadline) {
		return Question{}, ErrNotWaiting
	}
	if _, err := b.dir.Stat(id + answerKind); !missing(err) {
		return q, ErrAnswered
	}
	return q, nil
}

// Answer answers a question that waits below prefix. It returns ErrAnswered if somebody else was faster, and ErrNoSession or
// ErrPageOnly if the question does not take such an answer. It fills in a's ID and Digest.
func (b *Board) Answer(id, prefix string, a Answer) (Question, error) {
	q, err := b.Find(id, prefix)
	if err != nil {
		return q, err
	}
	switch {
	case a.Session && !q.ForSession:
		return q, ErrNoSession
	case q.PageOnly && a.By != api.AnsweredByPage:
		return q, ErrPageOnly
	}
	a.ID, a.Digest = q.ID, q.Digest
	f, err := b.post(id+answerKind, a)
	if errors.Is(err, fs.ErrExist) {
		return q, ErrAnswered
	}
	if err != nil {
		return q, err
	}
	return q, f.Close()
}

// removeStale removes what dead processes left, and old answers. It returns the names of the waiting questions and the number
// of answers that are kept.
func (b *Board) removeStale(now time.Time) (asks []string, answers int, err error) {
	names, err := b.dir.Names()
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, askKind):
			if b.alive(name) {
				asks = append(asks, name)
			}
		case strings.HasSuffix(name, pageKind):
			b.alive(name)
		case strings.HasSuffix(name, newKind):
			b.isFresh(name, now)
		case strings.HasSuffix(name, answerKind):
			if b.isFresh(name, now) {
				answers++
			}
		}
	}
	return asks, answers, nil
}

// alive reports whether the process that posted a file still runs, and removes the file if not.
func (b *Board) alive(name string) bool {
	f, err := b.openLive(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// isFresh reports whether a file is young or still locked by its process, and removes it if not.
func (b *Board) isFresh(name string, now time.Time) bool {
	is, err := b.dir.Stat(name)
	return err == nil && (is.ModTime.After(now.Add(-keepFor)) || b.alive(name))
}
