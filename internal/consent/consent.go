// Package consent asks a person about paths with an ask rule. A call brings an asker in its context;
// [AskAtPage] is the asker that puts the question on a page and waits. The package also lists the calls that wait and takes
// the answers of the page.
//
// It does not decide which paths are asked about, as package guard does, nor what a call does after a yes.
package consent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxQuestion is how many bytes of a diff a person is shown.
const maxQuestion = 64 << 10

// Result says why a call may go on that touches paths with an ask rule. nil is for a call that touches none.
type Result struct {
	Asked   *audit.Asked    // a person said yes; nil if nobody could be asked
	Unasked []api.AskedPath // nobody could be asked about these, and the policy lets their built-in rules pass such calls
}

// Ask asks the caller's asker about paths. Without paths it asks nobody and returns nil. The person is shown diff. Ask adds the
// caller and the paths to digest, which has all else that the yes depends on.
func Ask(ctx context.Context, w *workspace.Workspace, about []api.AskedPath, diff string, digest hash.Hash) (*Result, error) {
	if len(about) == 0 {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, caller.Cancelled(ctx)
	}
	f := caller.Asker(ctx)
	if f == nil {
		return unasked(w, about, errors.New("nobody is there to approve"))
	}
	actor := w.Actor(ctx)
	fmt.Fprintf(digest, "%d %d %q %q %q\n", w.Guard.RootID().Dev, w.Guard.RootID().Ino, actor.Client, actor.Session, actor.Tool)
	for _, a := range about {
		fmt.Fprintf(digest, "%q %t %q\n", a.Path, a.Write, a.Rule)
	}
	q := api.Question{Root: w.Root(), Actor: actor, Paths: about, Diff: cutDiff(report.Escape(diff)), PageOnly: w.Guard.PageOnly()}
	q.Digest = hex.EncodeToString(digest.Sum(nil))
	by, err := f(ctx, q)
	if ctx.Err() != nil {
		return nil, caller.Cancelled(ctx)
	}
	if err == nil && q.PageOnly && strings.TrimSuffix(by, forSession) != api.AnsweredByPage {
		err = fmt.Errorf("only a page may answer, and the answer is from another place (%s)", caller.ForLog(by))
	}
	switch {
	case errors.Is(err, api.ErrNoPage):
		return unasked(w, about, err)
	case err != nil:
		return nil, refused(about[0], err)
	}
	out := &audit.Asked{By: caller.ForLog(by)}
	for _, a := range about {
		if p := caller.ForLog(w.Paths().ToTop(a.Path)); !slices.Contains(out.Paths, p) {
			out.Paths = append(out.Paths, p)
		}
	}
	return &Result{Asked: out}, nil
}

// unasked decides about a call that can ask nobody; err says why. A rule of the policy refuses it, whatever else it touches.
func unasked(w *workspace.Workspace, about []api.AskedPath, err error) (*Result, error) {
	if i := slices.IndexFunc(about, func(a api.AskedPath) bool { return !a.BuiltIn }); i >= 0 {
		return nil, refused(about[i], err)
	}
	if !w.Guard.AllowsUnasked() {
		return nil, refused(about[0], err)
	}
	return &Result{Unasked: about}, nil
}

// refused returns the refusal of a call that nobody allowed. err says why.
func refused(a api.AskedPath, err error) error {
	e := &fail.Error{Kind: fail.PermissionDenied, Path: a.Path, Cause: err, Hint: "Leave the file as it is, or ask a person to change the policy."}
	because := err.Error()
	if inner, ok := errors.AsType[*fail.Error](err); ok {
		because, e.Hint = inner.Msg, cmp.Or(inner.Hint, e.Hint)
	}
	e.Msg = fmt.Sprintf("%s requires approval for it (%s): %s", whoAsks(a), RuleText(a), because)
	return e
}

func whoAsks(a api.AskedPath) string {
	if a.BuiltIn {
		return "emend"
	}
	return "the policy"
}

// RuleText names the rule because of which a person is asked about a path.
func RuleText(a api.AskedPath) string {
	if a.BuiltIn {
		return fmt.Sprintf("built-in rule %s, %s", fail.Quote(a.Rule), a.Why)
	}
	return "rule " + fail.Quote(a.Rule)
}

// NewDigest returns a hash that begins with the content of every file that was read.
func NewDigest(sums map[guard.Identity]string) hash.Hash {
	var lines []string
	for place, sum := range sums {
		lines = append(lines, fmt.Sprintf("%d %d %q %s\n", place.Dev, place.Ino, place.Name, sum))
	}
	slices.Sort(lines)
	h := sha256.New()
	fmt.Fprintln(h, strings.Join(lines, ""))
	return h
}

// PlanNotes returns the notes of a plan that say which paths a person is asked about before its commit.
func PlanNotes(asked *guard.AskedPaths) (notes []string) {
	for _, a := range asked.List() {
		if !a.Write || !asked.CanAsk {
			continue
		}
		rule := RuleText(a)
		if !a.BuiltIn {
			rule += " of the policy"
		}
		notes = append(notes, fmt.Sprintf("%s: requires approval (%s).", report.OneLine(a.Path), rule))
	}
	return notes
}

// cutDiff cuts a diff that is too long to be shown, and says so.
func cutDiff(s string) string {
	if len(s) <= maxQuestion {
		return s
	}
	shown := strings.ToValidUTF8(s[:maxQuestion], "")
	return fmt.Sprintf("%s\n… %d of %d bytes are not shown", shown, len(s)-len(shown), len(s))
}
