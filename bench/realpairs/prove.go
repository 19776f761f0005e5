package main

import (
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/emend-dev/emend/bench/internal/modpairs"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
	"github.com/emend-dev/emend/proof/oracle/shrink"
	"znkr.io/diff/textdiff"
)

// outcome is the result of one change in one dialect, or with one peer.
type outcome int

const (
	exact   outcome = iota // the new file, byte for byte
	refused                // the dialect cannot express it, and draft said so
	wrong                  // other bytes
	failed                 // a drafted patch could not be applied
)

// verdict is an outcome with its reason.
type verdict struct {
	outcome
	why string
}

// batch is the number of changes that a worker, or a peer, gets at once.
const batch = 100

// prove judges every pair of s.
func (s *summary) prove(ctx context.Context, c config, stderr io.Writer) error {
	jobs := make(chan []modpairs.Pair)
	errs := make(chan error, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for pairs := range jobs {
				if err := s.proveBatch(ctx, c, pairs); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
				s.progress(stderr, len(pairs))
			}
		})
	}
	for at := 0; at < len(s.pairs) && ctx.Err() == nil && len(errs) == 0; at += batch {
		jobs <- s.pairs[at:min(at+batch, len(s.pairs))]
	}
	close(jobs)
	workers.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return ctx.Err()
	}
}

func (s *summary) proveBatch(ctx context.Context, c config, pairs []modpairs.Pair) error {
	var names []string
	var changes []draft.Change
	for _, p := range pairs {
		before, after, err := p.Load()
		if err != nil {
			return err
		}
		ch := draft.Change{Path: p.Path, Old: before, New: after, HasOld: p.HasOld, HasNew: p.HasNew}
		if text.Binary(ch.Old) || text.Binary(ch.New) {
			s.binary()
			continue
		}
		s.change(ch)
		names, changes = append(names, p.String()), append(changes, ch)
	}
	for _, d := range c.dialects {
		for i, ch := range changes {
			v := strict(d, judge(ctx, d, ch, c.around), ch)
			s.note(d.Name, v, names[i], func() string { return smallest(ctx, d, ch, c.around) })
		}
	}
	if c.peers {
		return s.askPeers(ctx, names, changes)
	}
	return nil
}

// judge takes a change through one dialect: draft, print, parse, plan.
func judge(ctx context.Context, d *dialect.Dialect, ch draft.Change, around int) (v verdict) {
	defer func() {
		if r := recover(); r != nil {
			v = verdict{failed, fmt.Sprintf("panic: %v", r)}
		}
	}()
	drafted, err := draft.Between(d, []draft.Change{ch}, around)
	if err != nil {
		return unsayable(err)
	}
	printed, err := d.Print(drafted)
	if err != nil {
		return unsayable(err)
	}
	parsed, err := d.Parse(printed, dialect.Options{})
	if err != nil {
		return verdict{failed, "parse: " + reason(err)}
	}
	p, err := plan.Build(ctx, parsed.Patch, d.Rules(dialect.Options{}), tree(ch), plan.Options{})
	if err != nil {
		return verdict{failed, "plan: " + reason(err)}
	}
	return compare(p, ch)
}

// strict accepts no refusal of a change that the dialect can express, so that draft cannot hide an error behind a refusal. Blocks of
// lines cannot say that a file goes.
func strict(d *dialect.Dialect, v verdict, ch draft.Change) verdict {
	if d == dialect.SearchReplace && !ch.HasNew {
		return v
	}
	if v.outcome == refused && plain(ch.Old, ch.HasOld) && plain(ch.New, ch.HasNew) {
		return verdict{failed, "refused a plain change: " + v.why}
	}
	return v
}

// plain reports whether a side is absent or consists of whole lines that end in LF.
func plain(data string, there bool) bool {
	return !there || strings.HasSuffix(data, "\n") && !strings.ContainsAny(data, "\r\x00") && !strings.HasPrefix(data, text.BOM)
}

// compare compares a plan with the change that it was drafted from.
func compare(p *plan.Plan, ch draft.Change) verdict {
	want := patch.Update
	switch {
	case !ch.HasOld:
		want = patch.Add
	case !ch.HasNew:
		want = patch.Delete
	}
	switch {
	case len(p.Steps) != 1:
		return verdict{wrong, fmt.Sprintf("%d steps", len(p.Steps))}
	case p.Steps[0].Op != want || p.Steps[0].Path != ch.Path:
		return verdict{wrong, fmt.Sprintf("%s instead of %s", p.Steps[0].Op, want)}
	case ch.HasNew && p.Steps[0].After != ch.New:
		return verdict{wrong, "other bytes"}
	}
	return verdict{exact, ""}
}

// tree returns the workspace before ch. It has another file, so that the directory exists.
func tree(ch draft.Change) plan.Memory {
	m := plan.Memory{path.Join(path.Dir(ch.Path), "a neighbour"): ""}
	if ch.HasOld {
		m[ch.Path] = ch.Old
	}
	return m
}

// unsayable judges an error of draft or Print: a refusal, unless it is a defect.
func unsayable(err error) verdict {
	if fail.All(err)[0].Kind == fail.Unknown {
		return verdict{failed, "draft: " + reason(err)}
	}
	return verdict{refused, reason(err)}
}

var (
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	number = regexp.MustCompile(`\d+`)
)

// reason returns the text of an error without what is specific to one file: names and numbers, but not line ends.
func reason(err error) string {
	e := fail.All(err)[0]
	msg := quoted.ReplaceAllStringFunc(e.Msg, func(q string) string {
		if strings.Trim(q, `"\rn`) == "" {
			return q
		}
		return `"…"`
	})
	return string(e.Kind) + ": " + number.ReplaceAllString(msg, "N")
}

// smallest shrinks a change as long as it is judged the same, and describes it.
func smallest(ctx context.Context, d *dialect.Dialect, ch draft.Change, around int) string {
	want := strict(d, judge(ctx, d, ch, around), ch)
	edits := shrink.Slice(textdiff.Edits(ch.Old, ch.New), 3000, func(try []textdiff.Edit[string]) bool {
		small := rebuild(ch, try)
		return strict(d, judge(ctx, d, small, around), small) == want
	})
	ch = rebuild(ch, edits)
	shown := fmt.Sprintf("before %s\nafter  %s\n", fail.Quote(ch.Old), fail.Quote(ch.New))
	if p, err := draft.Between(d, []draft.Change{ch}, around); err == nil {
		if printed, err := d.Print(p); err == nil {
			shown += printed
		}
	}
	return shown
}

// rebuild returns a change of some of the edits of ch.
func rebuild(ch draft.Change, edits []textdiff.Edit[string]) draft.Change {
	ch.Old, ch.New = "", ""
	for _, e := range edits {
		if e.LineNoX >= 0 {
			ch.Old += e.Line
		}
		if e.LineNoY >= 0 {
			ch.New += e.Line
		}
	}
	return ch
}
