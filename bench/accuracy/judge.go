package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// outcome is the result of one patch.
type outcome uint8

const (
	landed  outcome = iota // the file is as expected
	refused                // an error was reported
	wrong                  // success was reported, and the file is not as expected
)

func (o outcome) String() string { return [...]string{"landed", "refused", "wrong"}[o] }

// profile is a set of options of emend.
type profile struct {
	name    string
	form    damage.Form
	bare    bool
	dialect *dialect.Dialect
	options dialect.Options
}

var profiles = []profile{
	{name: "emend", form: damage.Anchored, dialect: dialect.Emend},
	{name: "emend --lenient", form: damage.Anchored, dialect: dialect.Emend, options: dialect.Options{Lenient: true}},
	{name: "comma", form: damage.Wide, dialect: dialect.Comma},
	{name: "codex dialect", form: damage.Anchored, dialect: dialect.Codex},
	{name: "supyagent dialect", form: damage.Beside, bare: true, dialect: dialect.Supyagent},
	{name: "chimera dialect", form: damage.Wide, dialect: dialect.Chimera},
}

// mustBeRight lists the profiles that must never land anything wrong.
var mustBeRight = []string{"emend", "emend --lenient", "comma"}

// reply is the result of one text that was sent.
type reply struct {
	outcome outcome
	got     string // the file afterwards
	answer  answer // of emend
	said    string // of others
	left    bool   // it was refused, but the file was changed
}

// sender sends a text to a system that has the file of c.
type sender func(ctx context.Context, c *damage.Case, text string) (reply, error)

// send gives text to the rooms above the waterline, with a file in memory. It returns the result and what a client is told.
func (p *profile) send(ctx context.Context, c *damage.Case, text string) (reply, error) {
	view := report.View{Dialect: p.dialect, Atomic: true}
	parsed, err := p.dialect.Parse(text, p.options)
	var planned *plan.Plan
	if err == nil {
		view.Patch, view.Passed = parsed.Patch, parsed.Passed
		planned, err = plan.Build(ctx, parsed.Patch, p.dialect.Rules(p.options), plan.Memory{c.Path: c.Disk}, plan.Options{Print: p.dialect.PrintHunk})
	}
	if err == nil {
		return judgeFile(c, after(planned, c), true), nil
	}
	view.Dialect = dialect.Emend // its refusals are told in full
	r := judgeFile(c, c.Disk, false)
	r.answer, err = told(report.New(view, nil, err))
	return r, err
}

// after returns the file after a plan. A plan without steps does not change it.
func after(p *plan.Plan, c *damage.Case) string {
	if len(p.Steps) == 0 {
		return c.Disk
	}
	return p.Steps[0].After
}

// judgeFile judges the content of the file.
func judgeFile(c *damage.Case, got string, ok bool) reply {
	r := reply{outcome: refused, got: got, answer: answer{OK: ok}}
	switch {
	case !ok:
		r.left = got != c.Disk
	case got == c.Want:
		r.outcome = landed
	default:
		r.outcome = wrong
	}
	return r
}

// told returns what a client receives.
func told(r report.Result) (a answer, err error) {
	out, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	return a, err
}

// trial is the result of a patch, at first and after one repair.
type trial struct {
	text          string
	first, second reply
	next          string // what a mechanical client sends after a refusal
	offered       bool   // the refusal says what to do
}

// fare sends a patch. After a refusal it sends what a mechanical client makes of it.
func fare(ctx context.Context, c *damage.Case, text string, send sender) (t trial, err error) {
	t.text = text
	t.first, err = send(ctx, c, text)
	t.second = t.first
	if err != nil || t.first.outcome != refused {
		return t, err
	}
	if t.next, t.offered = nextText(text, t.first.answer); !t.offered {
		return t, nil
	}
	if t.next == nothing {
		t.second = judgeFile(c, c.Disk, true)
		return t, nil
	}
	t.second, err = send(ctx, c, t.next)
	return t, err
}

// same returns an error if another trial of the same case had another result.
func (t *trial) same(o *trial) error {
	switch {
	case t.first.outcome != o.first.outcome || t.second.outcome != o.second.outcome:
		return fmt.Errorf("%v then %v, and %v then %v", t.first.outcome, t.second.outcome, o.first.outcome, o.second.outcome)
	case t.first.got != o.first.got || t.second.got != o.second.got:
		return fmt.Errorf("the files are not the same")
	case t.next != o.next:
		return fmt.Errorf("a client sends something else next:\n%s\nand\n%s", t.next, o.next)
	}
	return nil
}
