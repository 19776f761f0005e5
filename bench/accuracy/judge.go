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

// outcome is what became of one patch.
type outcome uint8

const (
	landed  outcome = iota // the file is what it is to be
	refused                // an error was reported
	wrong                  // success was reported, and the file is another
)

func (o outcome) String() string { return [...]string{"landed", "refused", "wrong"}[o] }

// profile is one way in which emend is used.
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

// bound are the profiles that may land nothing wrong, ever.
var bound = []string{"emend", "emend --lenient", "comma"}

// reply is what came of one text that was sent.
type reply struct {
	outcome outcome
	got     string // the file afterwards
	answer  answer // of emend
	said    string // of the others
	left    bool   // it was refused, and the file is another all the same
}

// sender puts a text to a system that has the file of c before it.
type sender func(ctx context.Context, c *damage.Case, text string) (reply, error)

// send puts text to the rooms above the waterline, on a file in memory, and says what came out, and what a client is told.
func (p *profile) send(ctx context.Context, c *damage.Case, text string) (reply, error) {
	view := report.View{Dialect: p.dialect, Atomic: true}
	parsed, err := p.dialect.Parse(text, p.options)
	var planned *plan.Plan
	if err == nil {
		view.Patch, view.Passed = parsed.Patch, parsed.Passed
		planned, err = plan.Build(ctx, parsed.Patch, p.dialect.Rules(p.options), plan.Memory{c.Path: c.Disk}, plan.Options{Print: p.dialect.PrintHunk})
	}
	if err == nil {
		return settled(c, after(planned, c), true), nil
	}
	view.Dialect = dialect.Emend // its refusals are told in full
	r := settled(c, c.Disk, false)
	r.answer, err = told(report.New(view, nil, err))
	return r, err
}

// after is the file when a plan is done. A plan without steps leaves it.
func after(p *plan.Plan, c *damage.Case) string {
	if len(p.Steps) == 0 {
		return c.Disk
	}
	return p.Steps[0].After
}

// settled judges what stands in the file.
func settled(c *damage.Case, got string, ok bool) reply {
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

// told is what goes over the wire.
func told(r report.Result) (a answer, err error) {
	out, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	return a, err
}

// trial is how a patch fared, at first and after one repair.
type trial struct {
	text          string
	first, second reply
	next          string // what a mechanical client sends after a refusal
	offered       bool   // there was something to follow
}

// fare sends a patch, and once more what a mechanical client makes of a refusal.
func fare(ctx context.Context, c *damage.Case, text string, send sender) (t trial, err error) {
	t.text = text
	t.first, err = send(ctx, c, text)
	t.second = t.first
	if err != nil || t.first.outcome != refused {
		return t, err
	}
	if t.next, t.offered = again(text, t.first.answer); !t.offered {
		return t, nil
	}
	if t.next == nothing {
		t.second = settled(c, c.Disk, true)
		return t, nil
	}
	t.second, err = send(ctx, c, t.next)
	return t, err
}

// same reports how another trial of the same case went differently.
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
