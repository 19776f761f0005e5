package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
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
	way     damage.Way
	dialect *dialect.Dialect
	tool    [2]string // the profile and the name of a tool that is called; the dialect then only says how refusals are measured
	options dialect.Options
	seen    seen
}

// seen says what emend knows of the file that the author of a patch saw.
type seen uint8

const (
	unknown  seen = iota
	onRecord      // the history has it
	byHash        // and the client sends its hash
)

var profiles = []profile{
	{name: "emend", form: damage.Anchored, dialect: dialect.Emend},
	{name: "emend --lenient", form: damage.Anchored, dialect: dialect.Emend, options: dialect.Options{Lenient: true}},
	{name: onRecordName, form: damage.Anchored, dialect: dialect.Emend, options: dialect.Options{Lenient: true}, seen: onRecord},
	{name: byHashName, form: damage.Anchored, dialect: dialect.Emend, options: dialect.Options{Lenient: true}, seen: byHash},
	{name: "comma", form: damage.Wide, dialect: dialect.Comma},
	{name: "codex dialect", form: damage.Anchored, dialect: dialect.Codex},
	{name: "supyagent dialect", form: damage.Beside, bare: true, dialect: dialect.Supyagent},
	{name: "chimera dialect", form: damage.Wide, dialect: dialect.Chimera},
}

// The names of lenient where emend has the file that the author saw.
const (
	onRecordName = "emend --lenient, on record"
	byHashName   = "emend --lenient, hash sent"
)

// mustBeRight lists the profiles that must never land anything wrong.
var mustBeRight = []string{"emend", "emend --lenient", onRecordName, byHashName, "comma"}

// binding lists the profiles that must not apply a hunk again that is applied. The others keep the letter of their dialect.
var binding = []string{"emend", "emend --lenient", onRecordName, byHashName, unifiedName, unifiedLenient, unifiedOnRecord, "search-replace", "search-replace --lenient", "openai"}

// reply is the result of one text that was sent.
type reply struct {
	outcome outcome
	got     string // the files afterwards
	answer  answer // of emend
	shown   int    // of emend: the size of the text that a model is shown
	said    string // of others
	left    bool   // it was refused, but the file was changed
}

// sender sends a text to a system that has the files of c.
type sender func(ctx context.Context, c *damage.Case, text string) (reply, error)

// sender returns how p is asked: in memory, in a directory of scratch where only a directory tells what a path means, or as a tool.
func (p *profile) sender(d *desk, c *damage.Case) sender {
	if p.tool != [2]string{} {
		return d.sender(p)
	}
	scratch := d.scratch
	if c.Slips() {
		return func(ctx context.Context, c *damage.Case, text string) (reply, error) {
			return p.sendOnDisk(ctx, scratch, c, text)
		}
	}
	return p.send
}

// send gives text to the rooms above the waterline, with files in memory. It returns the result and what a client is told.
func (p *profile) send(ctx context.Context, c *damage.Case, sent string) (reply, error) {
	view := report.View{Dialect: p.dialect, Atomic: true}
	parsed, err := p.dialect.Parse(sent, p.options)
	var planned *plan.Plan
	if err == nil || parsed.Decodings != nil {
		files, expect := p.tree(c, parsed.Patch)
		view.Patch, view.Passed = parsed.Patch, parsed.Passed
		planned, err = plan.Build(ctx, parsed.Patch, p.dialect.Rules(p.options), files, plan.Options{Expect: expect, Print: p.dialect.PrintHunk, Decodings: parsed.Decodings, Unread: err})
	}
	if err != nil {
		return refusal(c, view, err)
	}
	after := map[string]string{}
	for _, s := range planned.Steps {
		after[s.Path] = s.After
	}
	return judgeFiles(c, after, true), nil
}

// tree returns the files of c, and the hashes that a client sends for the sections of a patch.
func (p *profile) tree(c *damage.Case, sent patch.Patch) (plan.Source, map[string]string) {
	files := remembered{plan.Memory{}, map[string]string{}}
	expect := map[string]string{}
	for _, f := range c.Files() {
		files.Memory[f.Path] = f.Disk
		if p.seen == unknown || f.Read == f.Disk {
			continue
		}
		files.read[f.Path] = f.Read
		for i := range sent.Sections {
			if p.seen == byHash && sent.Sections[i].Path == f.Path {
				expect[f.Path] = text.Sum(f.Read)
			}
		}
	}
	return files, expect
}

// remembered is a tree with the versions that somebody read.
type remembered struct {
	plan.Memory
	read map[string]string
}

// Versions implements [plan.Source].
func (r remembered) Versions(_ context.Context, f plan.File, sum string) iter.Seq[plan.Version] {
	return func(yield func(plan.Version) bool) {
		if data, ok := r.read[f.Rel]; ok && (sum == "" || sum == text.Sum(data)) {
			yield(plan.Version{Data: data, Sha256: text.Sum(data)})
		}
	}
}

// sendOnDisk gives text to the library, with the files of c in a workspace of their own. The plan is made and not committed.
func (p *profile) sendOnDisk(ctx context.Context, scratch string, c *damage.Case, text string) (r reply, err error) {
	dir, err := os.MkdirTemp(scratch, "workspace")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	for _, f := range c.Files() {
		if err := writeFile(dir, f.Path, f.Disk); err != nil {
			return r, err
		}
	}
	ws, err := emend.Open(dir, emend.AllowProtected("**"), emend.NoSync())
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	text = strings.ReplaceAll(text, damage.Root, dir)
	planned, err := ws.Plan(ctx, text, api.PatchOptions{Dialect: p.dialect.Name, Lenient: p.options.Lenient})
	if refused, ok := errors.AsType[*emend.Refusal](err); ok {
		view := report.View{Dialect: p.dialect, Atomic: true}
		if parsed, err := p.dialect.Parse(text, p.options); err == nil {
			view.Patch, view.Passed = parsed.Patch, parsed.Passed
		}
		return refusal(c, view, fail.List(refused.Failures))
	}
	if err != nil {
		return r, err
	}
	after := map[string]string{}
	for _, f := range planned.Files() {
		after[f.Path] = f.After
	}
	return judgeFiles(c, after, true), nil
}

func writeFile(dir, name, data string) error {
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(data), 0o666)
}

// refusal judges a refusal. The answer is told in full, the size is that of the dialect's own words.
func refusal(c *damage.Case, view report.View, refused error) (r reply, err error) {
	r = judgeFiles(c, nil, false)
	r.shown = len(report.New(view, nil, refused).Text())
	view.Dialect = dialect.Emend
	r.answer, err = told(report.New(view, nil, refused))
	return r, err
}

// judgeFiles judges the contents of the files afterwards. A file that is not in after is unchanged. One that is there and no file
// of c is something else that was written.
func judgeFiles(c *damage.Case, after map[string]string, ok bool) reply {
	r := reply{outcome: refused, answer: answer{OK: ok}}
	same, right := true, true
	var got []string
	for _, f := range c.Files() {
		now, changed := after[f.Path]
		if !changed {
			now = f.Disk
		}
		delete(after, f.Path)
		got = append(got, now)
		same, right = same && now == f.Disk, right && now == f.Want
	}
	for _, other := range after {
		got, same, right = append(got, other), false, false
	}
	r.got = strings.Join(got, between)
	switch {
	case !ok:
		r.left = !same
	case right:
		r.outcome = landed
	default:
		r.outcome = wrong
	}
	return r
}

// between stands between the contents of two files.
const between = "\x00\n"

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
	if t.next, t.offered = nextText(c.Way, text, t.first.answer); !t.offered {
		return t, nil
	}
	if t.next == nothing {
		t.second = judgeFiles(c, nil, true)
		return t, nil
	}
	t.second, err = send(ctx, c, t.next)
	return t, err
}

// same returns an error if another trial of the same case had another result.
func (t *trial) same(o *trial) error {
	switch {
	case t.first.outcome != o.first.outcome || t.second.outcome != o.second.outcome:
		return fmt.Errorf("%v then %v, and %v then %v; it says\n%s", t.first.outcome, t.second.outcome, o.first.outcome, o.second.outcome, t.first.words())
	case t.first.got != o.first.got || t.second.got != o.second.got:
		return fmt.Errorf("the files are not the same")
	case t.next != o.next:
		return fmt.Errorf("a client sends something else next:\n%s\nand\n%s", t.next, o.next)
	}
	return nil
}
