package emend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// Question is what a person is asked before a call touches what a policy wants them to be asked about.
type Question struct {
	Root  string // of the workspace, to be shown
	Actor Actor
	Paths []AskedPath
	// Diff is what the call would change, what is asked about first, and safe to show on a terminal. It is empty when the
	// call only reads. Of a patch that is applied section by section it is the patch.
	Diff string
	// Digest names the call: who asks, the tool, the paths, and the content of every file before and after. A call that would do
	// anything else has another one.
	Digest string
}

// AskedPath is a path that a question is about.
type AskedPath = guard.Asked

// ErrUnanswered is what a hook of [Asking] returns when the answer will come with another call: this one is refused, and
// that is not noted in the log.
var ErrUnanswered = errors.New("a person has been asked, and has not answered yet")

type askingKey struct{}

// Asking has f asked, for what is called with the context that it returns, about paths for which a policy says "ask";
// without it they are refused. It is asked at most once in a call, when everything else about the call is settled and
// nothing has happened yet: no file is changed, and nothing that was read is returned. An error is a no, and the caller
// is told why; else f says by what the person was asked, for the log. What it was asked about may have changed by the
// time that it returns: then the commit refuses.
func Asking(ctx context.Context, f func(context.Context, Question) (by string, err error)) context.Context {
	return context.WithValue(ctx, askingKey{}, f)
}

func asker(ctx context.Context) func(context.Context, Question) (string, error) {
	f, _ := ctx.Value(askingKey{}).(func(context.Context, Question) (string, error))
	return f
}

// asksOf collects what a call has to ask about; nil when there is nobody to ask.
func asksOf(ctx context.Context) *guard.Asks {
	if asker(ctx) == nil {
		return nil
	}
	return new(guard.Asks)
}

// ask asks, if there is anything to ask about, and returns what the log says of it.
func (w *Workspace) ask(ctx context.Context, about []AskedPath, diff string, digest hash.Hash) (*audit.Asked, error) {
	if len(about) == 0 {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	f := asker(ctx)
	if f == nil {
		return nil, saidNo(about[0], errors.New("there is nobody to ask"))
	}
	actor := w.actor(ctx)
	fmt.Fprintf(digest, "%d %d %q %q %q\n", w.guard.Root().Dev, w.guard.Root().Ino, actor.Client, actor.Session, actor.Tool)
	for _, a := range about {
		fmt.Fprintf(digest, "%q %t %q\n", a.Path, a.Write, a.Rule)
	}
	q := Question{Root: w.Root(), Actor: actor, Paths: about, Diff: bounded(report.Escape(diff))}
	q.Digest = hex.EncodeToString(digest.Sum(nil))
	by, err := f(ctx, q)
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if err != nil {
		return nil, saidNo(about[0], err)
	}
	out := &audit.Asked{By: clean(by)}
	for _, a := range about {
		if p := clean(path.Join(w.keeper.prefix, a.Path)); !slices.Contains(out.Paths, p) {
			out.Paths = append(out.Paths, p)
		}
	}
	return out, nil
}

// saidNo is the refusal of a call that nobody allowed.
func saidNo(a AskedPath, err error) error {
	e := &fail.Error{Kind: fail.PermissionDenied, Path: a.Path, Cause: err,
		Msg:  fmt.Sprintf("the policy wants a person to be asked about it (rule %s): %v", fail.Quote(a.Rule), err),
		Hint: "Leave the file as it is, or ask a person to change the policy."}
	if because, ok := errors.AsType[*fail.Error](err); ok {
		e.Msg = fmt.Sprintf("the policy wants a person to be asked about it (rule %s): %s", fail.Quote(a.Rule), because.Msg)
		e.Hint = cmp.Or(because.Hint, e.Hint)
	}
	return e
}

// consent asks about a plan that stands.
func (w *Workspace) consent(ctx context.Context, p *plan.Plan, sums map[guard.Identity]string, r record) (*audit.Asked, error) {
	if r.given != nil || len(r.asks) == 0 {
		return r.given, nil
	}
	h := digestOf(sums)
	fmt.Fprintf(h, "%q %t %q\n", r.kind, r.forget, r.undoes)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(h, "%d %q %q %q %q %t %q %q %d\n", s.Op, s.Path, s.To, s.BeforeSum, s.AfterSum, s.Exec, s.Back, s.Like, s.Source.Kind)
	}
	return w.ask(ctx, r.asks, w.question(ctx, p, r), h)
}

// digestOf begins a digest with the content of every file that was read.
func digestOf(sums map[guard.Identity]string) hash.Hash {
	var lines []string
	for place, sum := range sums {
		lines = append(lines, fmt.Sprintf("%d %d %q %s\n", place.Dev, place.Ino, place.Name, sum))
	}
	slices.Sort(lines)
	h := sha256.New()
	fmt.Fprintln(h, strings.Join(lines, ""))
	return h
}

// telling asks before anything is told that was learned from a file that may be read only when a person says so: a
// refusal quotes what is there. The refusal is then theirs.
func (w *Workspace) telling(ctx context.Context, src *reader, err error) error {
	read := slices.DeleteFunc(src.asks.List(), func(a AskedPath) bool { return a.Write })
	if len(read) == 0 {
		return err
	}
	if _, no := w.ask(ctx, read, "", digestOf(src.sums())); no != nil {
		return no
	}
	return err
}

// willAsk says, in a plan, what a commit will do first.
func willAsk(about []AskedPath) (notes []string) {
	for _, a := range about {
		if a.Write {
			notes = append(notes, fmt.Sprintf("%s: before this is committed a person is asked (rule %s of the policy).",
				report.Escape(a.Path), fail.Quote(a.Rule)))
		}
	}
	return notes
}
