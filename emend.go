// Package emend takes the patch text that a coding agent wrote and makes it true in the files of a workspace, entirely
// or not at all; or says why not and what would work instead.
//
//	ws, err := emend.Open(".")
//	...
//	plan, err := ws.Plan(ctx, text, emend.Options{}) // reads only: which lines, how sure, with a diff
//	if refused, ok := errors.AsType[*emend.Refusal](err); ok {
//		fmt.Println(refused.Result().Text()) // every failure, what is really there, the next step
//	}
//	...
//	report, err := ws.Commit(ctx, plan) // all of it, or nothing
//
// A patch may be written in any of the dialects that [Dialects] lists; the zero Options recognise which. Files are
// reached through handles beneath the workspace's root, never by a path that could have moved outside, and protected
// names are refused. A commit survives kill -9, a full disk and a power cut; it keeps what it displaces, and a record.
package emend

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Error is one refusal: its kind, its place, its reason and the next step.
type Error = fail.Error

// Kind is the class of a refusal; errors.Is(err, emend.Stale) asks for it.
type Kind = fail.Kind

// The kinds of refusals, a closed list.
const (
	NotFound         = fail.NotFound
	AlreadyExists    = fail.AlreadyExists
	PermissionDenied = fail.PermissionDenied
	OutsideWorkspace = fail.OutsideWorkspace
	BinaryFile       = fail.BinaryFile
	FileTooLarge     = fail.FileTooLarge
	Stale            = fail.Stale
	OldTextNotFound  = fail.OldTextNotFound
	MultipleMatches  = fail.MultipleMatches
	Overlapping      = fail.Overlapping
	PatchParse       = fail.PatchParse
	PatchApply       = fail.PatchApply
	CommandFailed    = fail.CommandFailed
	Timeout          = fail.Timeout
	Unknown          = fail.Unknown
)

// Result is an outcome in the shape of its dialect, ready to be encoded as JSON.
type Result = report.Result

// Workspace is a directory tree that patches may change. It may be used by several goroutines at once.
type Workspace struct {
	guard  *guard.Guard
	base   string
	limits Limits
	keeper keeper
	undos  undos
	sieve  audit.Sieve

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // those that use the workspace

	grants grants // what persons allowed to sessions

	found   *Recovery // what opening recovered
	pending error     // why something pending could not be
}

// Option changes how a workspace is opened.
type Option func(*settings)

type settings struct {
	policy string
	base   string
	guard  guard.Options
	limits Limits
	keeper keeper

	asFound bool
}

// Base makes the paths in patches relative to dir, a slash-separated path relative to the root.
func Base(dir string) Option { return func(s *settings) { s.base = dir } }

// AllowProtected opens protected paths that match the patterns.
func AllowProtected(patterns ...string) Option {
	return func(s *settings) { s.guard.AllowProtected = append(s.guard.AllowProtected, patterns...) }
}

// Policy names a file in which a person has decided which paths are denied, asked for or allowed. It must be outside
// the workspace.
func Policy(file string) Option { return func(s *settings) { s.policy = file } }

// By says who asks, for the log.
func By(a Actor) Option { return func(s *settings) { s.keeper.actor = a } }

// Store names the directory of the store, on the mount of the workspace. Without it an existing store above the root
// is used, or one is made in the nearest .git directory, or as .emend at the root.
func Store(dir string) Option { return func(s *settings) { s.keeper.named = dir } }

// NoSync leaves the syncs out: a commit then still survives kill -9, but not a power cut.
func NoSync() Option { return func(s *settings) { s.keeper.opts.NoSync = true } }

// AsFound leaves what a crash interrupted as it is, for who only looks: [Workspace.Recovered] then says that something is
// pending. Whatever changes a file recovers first all the same.
func AsFound() Option { return func(s *settings) { s.asFound = true } }

// UnsafeFS lets a commit write to a network file system, where less can be promised.
func UnsafeFS() Option { return func(s *settings) { s.keeper.unsafe = true } }

// WithLimits bounds what one patch may do. Zero fields keep their default.
func WithLimits(l Limits) Option { return func(s *settings) { s.limits = l } }

// Open opens the workspace whose root is dir, and finishes, or takes back, what a crash left in its tree; Recovered
// says what. Close it when done.
func Open(dir string, options ...Option) (*Workspace, error) {
	var s settings
	for _, o := range options {
		o(&s)
	}
	s.limits = s.limits.orDefault()
	s.guard.MaxDepth = s.limits.Depth
	if s.policy != "" {
		var err error
		if s.guard.Policy, err = guard.ReadPolicy(s.policy, dir); err != nil {
			return nil, err
		}
	}
	age, bytes := s.guard.Policy.Keep()
	s.keeper.age, s.keeper.bytes = cmp.Or(s.keeper.age, age), cmp.Or(s.keeper.bytes, bytes)
	s.guard.Store = storeIn(dir, s.keeper.named)
	g, err := guard.Open(dir, s.guard)
	if err != nil {
		return nil, err
	}
	w := &Workspace{guard: g, base: s.base, limits: s.limits}
	if err := w.keep(&s); err != nil {
		g.Close()
		return nil, err
	}
	if s.asFound {
		w.pending = w.interrupted()
		return w, nil
	}
	w.heal()
	return w, nil
}

// FindRoot is the workspace that dir belongs to, the nearest directory upward with .git or .emend in it, or dir
// itself, and dir's path in it for [Base].
func FindRoot(dir string) (root, base string, err error) { return guard.FindRoot(dir) }

// Close waits for the calls in hand and lets go of the root's handle and the store. Later calls are refused.
func (w *Workspace) Close() error {
	w.mu.Lock()
	was := w.closed
	w.closed = true
	w.mu.Unlock()
	if was {
		return nil
	}
	w.calls.Wait()
	w.prune(context.Background()) // it is worth no error
	return errors.Join(w.keeper.close(), w.guard.Close())
}

// enter begins a call that uses the workspace; w.calls.Done ends it.
func (w *Workspace) enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "the workspace is closed", Hint: "Open it again."}
	}
	w.calls.Add(1)
	return nil
}

// Root is the path of the root, to be shown to people.
func (w *Workspace) Root() string { return w.guard.Dir() }

// Options are what a caller asks of one plan. The zero value recognises the dialect and is strict.
type Options struct {
	// Dialect is the name of one of [Dialects]; "" or "auto" recognises it.
	Dialect string
	// Lenient lets pass what sloppy models write; whatever it let pass is named in the result.
	Lenient bool
	// Tolerance names the last rung on which lines may match; 0 leaves it to the dialect.
	Tolerance patch.Rung
	// Expect holds the sha256 that files must have now, by their path as the patch writes it. "" asserts that a
	// file to be added is not there.
	Expect map[string]string
	// Base is the directory that the paths of the patch are relative to, written as they are; "" is that of the workspace.
	Base string
	// Sequential applies the sections one after the other, each by itself, and stops at the first that fails.
	Sequential bool
	// Idempotent skips what is already applied, hunk by hunk and section by section, instead of refusing it. It is for
	// who sends a patch again without knowing whether it arrived. If all of it is applied nothing is committed.
	Idempotent bool
	// Progress is told, while a large patch is staged, how many of its files are. It must return at once.
	Progress func(done, total int)
	// IdempotencyKey makes Apply do a thing once: a call with a key that was committed before returns the answer of
	// the first.
	IdempotencyKey string
}

func (o Options) dialect() dialect.Options {
	return dialect.Options{Lenient: o.Lenient, Tolerance: o.Tolerance}
}

func (o Options) planned(d *dialect.Dialect) plan.Options {
	return plan.Options{Expect: o.Expect, Print: d.PrintHunk, Idempotent: o.Idempotent}
}

// Plan is what a patch would do. It is settled: nothing about it is decided later.
type Plan struct {
	view report.View
	plan *plan.Plan
	sums map[guard.Identity]string // of every file that was read
	asks []AskedPath
	of   *Workspace
}

// Dialect is the name of the dialect that the patch was read in.
func (p *Plan) Dialect() string { return p.view.Dialect.Name }

// Passed names what lenient reading let pass, one sentence each.
func (p *Plan) Passed() []string { return p.view.Passed }

// Files is what would become of each file, in the order of the patch.
func (p *Plan) Files() []File {
	out := make([]File, len(p.plan.Steps))
	for i := range p.plan.Steps {
		out[i] = File{step: &p.plan.Steps[i]}
	}
	return out
}

// Result words the plan as a preview.
func (p *Plan) Result() Result { return report.Of(p.view, p.plan, nil) }

// Summary says in a few lines what the plan would do.
func (p *Plan) Summary() string { return report.Summary(p.view, p.plan) }

// AlreadyApplied reports whether there is nothing to do, since all of the patch is already applied (Options.Idempotent).
func (p *Plan) AlreadyApplied() bool { return p.plan.Applied() }

// Skipped says what is left out since it is already applied, one sentence for a file.
func (p *Plan) Skipped() []string { return report.AlreadyApplied(p.plan) }

// File is what would become of one file.
type File struct{ step *plan.Step }

// Op says what is done to the file.
func (f File) Op() patch.Op { return f.step.Op }

// Path is the file's path relative to the root, before the patch.
func (f File) Path() string { return f.step.Path }

// To is where a moved file goes, relative to the root.
func (f File) To() string { return f.step.To }

// Before and After are the contents; "" where there is no file.
func (f File) Before() string { return f.step.Before }

// After is the content afterwards.
func (f File) After() string { return f.step.After }

// Placed is where a hunk landed and how loosely it matched there.
type Placed = plan.Placed

// Hunks says where each hunk landed.
func (f File) Hunks() []Placed { return f.step.Hunks }

// Diff is the change as a unified diff in git's form.
func (f File) Diff() string { return report.Diff(f.step) }

// Refusal says why a patch cannot be applied: every failing section and hunk of it. errors.Is and errors.As look
// into each.
type Refusal struct {
	view report.View
	list fail.List
}

func (r *Refusal) Error() string { return r.list.Error() }

// Unwrap returns the failures.
func (r *Refusal) Unwrap() []error { return r.list.Unwrap() }

// Failures lists them, in the order of the patch.
func (r *Refusal) Failures() []*Error { return r.list }

// Explain words the refusal for a person: every failure, what is really there, and the next step.
func (r *Refusal) Explain() string { return report.Refused(r.view, r.list) }

// Result words the refusal.
func (r *Refusal) Result() Result { return report.Of(r.view, nil, r.list) }

// In is the refusal in the shape of a dialect, where it was made before anybody knew which.
func (r *Refusal) In(name string) *Refusal {
	d, ok := dialect.Named(name)
	if !ok || r.view.Dialect != nil {
		return r
	}
	out := *r
	out.view.Dialect = d
	return &out
}

// Plan reads text and the files it names, and settles what it would do. It never writes. An error is a *Refusal.
func (w *Workspace) Plan(ctx context.Context, text string, o Options) (*Plan, error) {
	if err := w.enter(); err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx, err := w.from(ctx, o.Base)
	if err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	src := newReader(ctx, w)
	defer src.close()
	p, err := w.preview(ctx, text, o, src)
	if err != nil {
		return nil, err
	}
	if no := w.telling(ctx, src, nil); no != nil {
		return nil, &Refusal{view: p.view, list: fail.All(no)}
	}
	return p, nil
}

func (w *Workspace) preview(ctx context.Context, text string, o Options, src *reader) (*Plan, error) {
	view, p, err := w.plan(ctx, text, o, src)
	if err == nil {
		asks := src.asks.List()
		view.Notes = willAsk(asks)
		return &Plan{view: view, plan: p, sums: src.sums(), of: w, asks: asks}, nil
	}
	list := fail.All(w.telling(ctx, src, err))
	src.asks = nil // nobody is asked about what is only looked at for a hint
	if hint := w.elsewhere(ctx, text, o, src, list); hint != "" {
		first := *list[0]
		first.Hint = join(first.Hint, hint)
		list[0] = &first
	}
	return nil, &Refusal{view: view, list: list}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

func (w *Workspace) plan(ctx context.Context, text string, o Options, src *reader) (report.View, *plan.Plan, error) {
	view, d, err := w.parse(text, o)
	if err != nil {
		return view, nil, err
	}
	commit.Room(len(view.Patch.Sections))
	rules := d.Rules(o.dialect())
	src.readAhead(ctx, view.Patch.Sections, rules.Absolute)
	p, err := plan.Build(ctx, view.Patch, rules, src, o.planned(d))
	src.stopAhead()
	if moved := src.visit.Again(); moved != nil {
		err = moved
	}
	if err == nil {
		err = w.limits.checkPlan(p)
	}
	return view, p, err
}

// parse reads text in its dialect.
func (w *Workspace) parse(text string, o Options) (report.View, *dialect.Dialect, error) {
	view := report.View{DryRun: true, Atomic: !o.Sequential}
	if err := w.limits.checkText(text); err != nil {
		return view, nil, err
	}
	d, err := choose(text, o.Dialect)
	if err != nil {
		return view, nil, err
	}
	view.Dialect = d
	parsed, err := d.Parse(text, o.dialect())
	if err != nil {
		return view, nil, err
	}
	view.Patch, view.Passed = parsed.Patch, parsed.Passed
	return view, d, w.limits.checkPatch(parsed.Patch)
}

func choose(text, name string) (*dialect.Dialect, error) {
	if name == "" || name == "auto" {
		return dialect.Detect(text)
	}
	return named(name)
}

func named(name string) (*dialect.Dialect, error) {
	d, ok := dialect.Named(name)
	if !ok {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "no dialect is called " + fail.Quote(name),
			Hint: "Use one of: " + names() + "."}
	}
	return d, nil
}

// maxElsewhere is how many bytes of patch and files a refused patch may have for the other ways of reading it to
// be tried for a hint.
const maxElsewhere = 4 << 20

// elsewhere looks whether the text would work with one switch more, and says which. Only a way that needs no
// guess counts: every hunk with a single place that its own lines give it, and nothing replaced.
func (w *Workspace) elsewhere(ctx context.Context, text string, o Options, src *reader, refused fail.List) string {
	auto := o.Dialect == "" || o.Dialect == "auto"
	src.most = maxElsewhere - len(text)
	if !auto || o.Lenient || src.bytes > src.most || errors.Is(refused, fail.CommandFailed) || errors.Is(refused, fail.PermissionDenied) {
		return ""
	}
	lenient := o
	lenient.Lenient = true
	if w.works(ctx, text, lenient, src) {
		return "With --lenient (lenient: true) this patch would apply."
	}
	for _, d := range dialect.All {
		named := o
		named.Dialect = d.Name
		if w.works(ctx, text, named, src) {
			return "With --dialect " + d.Name + " this patch would apply."
		}
	}
	return ""
}

func (w *Workspace) works(ctx context.Context, text string, o Options, src *reader) bool {
	view, p, err := w.plan(ctx, text, o, src)
	if err != nil {
		return false
	}
	for i := range p.Steps {
		if p.Steps[i].Replaces != nil {
			return false
		}
		for k, h := range p.Steps[i].Hunks {
			said := &view.Patch.Sections[p.Steps[i].Section].Hunks[k]
			if h.Others > 0 || said.AtEnd && len(said.Old()) == 0 {
				return false
			}
		}
	}
	return true
}

// Dialects lists the names of the dialects.
func Dialects() []string { return dialect.Names() }

func names() string { return strings.Join(Dialects(), ", ") }
