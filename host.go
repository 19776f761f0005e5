package emend

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/confine"
	"github.com/emend-dev/emend/internal/landing"
	"github.com/emend-dev/emend/internal/look"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/read"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/undo"
	"github.com/emend-dev/emend/internal/version"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Host has the calls for programs that serve a workspace to agents, or show it to people: emend's own command line, server and
// pages use it. A program that embeds the library does not need it.
type Host struct{ s *workspace.Workspace }

// Host returns the calls for programs that serve the workspace.
func (w *Workspace) Host() *Host { return &Host{w.s} }

// GlobTo is [Workspace.Glob] for many paths: it writes each to out while it looks, on a line of its own, those of directories with
// a slash, and holds none of them. The answer says how many there were. An error of out is returned as it is.
func (h *Host) GlobTo(ctx context.Context, r api.GlobRequest, out io.Writer) (*api.Answer[api.GlobSum], error) {
	to := &sink{Writer: out}
	a, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, r api.GlobRequest) (*api.Answer[api.GlobSum], error) {
		return read.GlobTo(ctx, ws, r, to)
	}, r)
	return a, cmp.Or(to.err, err)
}

// SearchTo is [Workspace.Search] for many matches: it writes each to out while it searches, as path:line:text, in mode path as a
// path, and holds none of them. The answer has no matches, and how many there were as Written. Lines around them are not written:
// a request for them is refused. An error of out is returned as it is.
func (h *Host) SearchTo(ctx context.Context, r api.SearchRequest, out io.Writer) (*api.Answer[api.SearchSum], error) {
	to := &sink{Writer: out}
	a, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, r api.SearchRequest) (*api.Answer[api.SearchSum], error) {
		return read.SearchTo(ctx, ws, r, to)
	}, r)
	return a, cmp.Or(to.err, err)
}

// sink keeps the error of a writer apart from the errors of the call that writes to it.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.Writer.Write(p)
	return n, s.err
}

// Look compares the tree with the last look at it and records what changed without emend, as entries that can be undone as far as
// the contents from before are known. Programs call it around what they let an agent run. The context says who makes the call.
func (h *Host) Look(ctx context.Context, r api.LookRequest) (*api.Look, error) {
	return call(ctx, h.s, look.Look, r)
}

// Looker looks before and after a command, with less work than two calls of [Host.Look].
type Looker struct {
	h    *Host
	with *look.Looker
}

// NewLooker returns a Looker. Close it when done.
func (h *Host) NewLooker() *Looker { return &Looker{h, look.NewLooker()} }

// NewLastingLooker returns a Looker for any number of looks, as a server makes them for others. Close it when done.
func (h *Host) NewLastingLooker() *Looker { return &Looker{h, look.NewLastingLooker()} }

// LooksDir returns the directory of the store that belongs to looks, whether or not it exists.
func (h *Host) LooksDir() string { return h.s.LooksDir() }

// StoreIdentity tells the store of the tree from every other one that was or will be in its place; "" if there is none.
func (h *Host) StoreIdentity() string { return h.s.StorePlace().Identity() }

// Look is [Host.Look].
func (l *Looker) Look(ctx context.Context, r api.LookRequest) (*api.Look, error) {
	return call(ctx, l.h.s, l.with.Look, r)
}

// Close frees what the Looker holds.
func (l *Looker) Close() error { return l.with.Close() }

// Run runs a command that sees the tree as a layer, and lands what it left as one change: judged by the rules and the policy, refused
// whole if somebody else changed the same paths meanwhile, undoable. [IsNoLayer] tells from its error that there can be no layer
// here. It works on Linux, in a program whose main calls [Supervise].
func (h *Host) Run(ctx context.Context, r api.RunRequest) (*api.RunReport, error) {
	if err := h.s.Enter(); err != nil {
		return nil, refused(err)
	}
	defer h.s.Leave()
	rep, err := landing.Run(ctx, h.s, r)
	if IsNoLayer(err) {
		return rep, err
	}
	return rep, refused(err)
}

// NoLayer says why commands cannot run over a layer here; nil if they can. It sets one up to find out.
func (h *Host) NoLayer() error {
	if err := h.s.Enter(); err != nil {
		return refused(err)
	}
	defer h.s.Leave()
	return landing.Probe(h.s)
}

// IsNoLayer reports whether an error of [Host.Run] says that there can be no layer here, and that nothing was run.
func IsNoLayer(err error) bool {
	_, ok := errors.AsType[*overlay.Unsupported](err)
	return ok
}

// StartConfined starts a command that can write only in the tree, in the temporary directory and in the directories that the policy names.
// [CannotConfine] says whether the system can do that.
func (h *Host) StartConfined(cmd *exec.Cmd) error {
	if _, err := h.s.OpenStore(); err != nil {
		return refused(err)
	}
	return confine.Start(cmd, append(h.s.WritableDirs(), cmp.Or(h.s.StorePlace().Top, h.s.RealRoot())))
}

// CannotConfine says why the system cannot confine a command; nil if it can.
func CannotConfine() error { return confine.Check() }

// InLayer reports whether this process is the command of a [Host.Run] in the tree, or was started by it: what it changes there is recorded
// when that command has ended.
func (h *Host) InLayer() bool { return overlay.LayerOf(h.s.RealRoot()) != "" }

// Supervise makes this process what runs a command over a layer, if [Host.Run] executed it for that, and does not return then. A
// program that calls Run calls it first in main.
func Supervise() { overlay.Supervise() }

// Layers lists the layers of commands that did not land, the newest first.
func (h *Host) Layers(ctx context.Context) ([]api.KeptLayer, error) {
	return call(ctx, h.s, landing.List, struct{}{})
}

// ShowLayer says what a layer would change. name is its name, or the beginning of it.
func (h *Host) ShowLayer(ctx context.Context, name string) (*api.RunReport, error) {
	return layerReport(ctx, h, landing.Show, name)
}

// LandLayer lands a layer that was kept.
func (h *Host) LandLayer(ctx context.Context, name string) (*api.RunReport, error) {
	return layerReport(ctx, h, landing.Land, name)
}

// DiscardLayer removes a layer that was kept.
func (h *Host) DiscardLayer(ctx context.Context, name string) error {
	_, err := call(ctx, h.s, landing.Discard, name)
	return err
}

// layerReport calls f, whose report counts also if it fails.
func layerReport(ctx context.Context, h *Host, f func(context.Context, *workspace.Workspace, string) (*api.RunReport, error), name string) (*api.RunReport, error) {
	if err := h.s.Enter(); err != nil {
		return nil, refused(err)
	}
	defer h.s.Leave()
	rep, err := f(ctx, h.s, name)
	return rep, refused(err)
}

// Mark gives the present state of the tree a name, to which an undo can go back. What a call under way did until then is recorded first.
func (h *Host) Mark(ctx context.Context, r api.MarkRequest) (*api.Mark, error) {
	return call(ctx, h.s, look.Mark, r)
}

// Marks lists the marks, the newest first.
func (h *Host) Marks(ctx context.Context) ([]api.Mark, error) {
	return call(ctx, h.s, undo.Marks, struct{}{})
}

// Insert puts lines into a file after the line with a number, and changes no other byte of it. The lines get the line end of that
// line. The caller has seen the line numbers in the file as it is now, or sends the sha256 of what it saw.
func (h *Host) Insert(ctx context.Context, r api.InsertRequest) (*api.Answer[api.InsertData], error) {
	return call(ctx, h.s, change.Insert, r)
}

// DeleteSeveral deletes several files as one change.
func (h *Host) DeleteSeveral(ctx context.Context, r api.DeleteSeveralRequest) (*Report, error) {
	return reported(call(ctx, h.s, change.DeleteSeveral, r))
}

// MoveSeveral moves several files as one change.
func (h *Host) MoveSeveral(ctx context.Context, r api.MoveSeveralRequest) (*Report, error) {
	return reported(call(ctx, h.s, change.MoveSeveral, r))
}

// RestoreSeveral brings several files back from the trash as one change, each to where it was.
func (h *Host) RestoreSeveral(ctx context.Context, r api.RestoreSeveralRequest) (*Report, error) {
	return reported(call(ctx, h.s, change.RestoreSeveral, r))
}

// Refused notes in the log that a call of a tool that changes files was refused before it came to the workspace, and words the
// refusal. op is what the tool does to the paths; paths are what the call named, as far as that could be read.
func (h *Host) Refused(ctx context.Context, tool string, op patch.Op, paths []string, err error) *Refusal {
	c := change.RefusedCall{Tool: tool, Op: op, Paths: paths, Err: err}
	if h.s.Enter() != nil {
		return newRefusal(&report.Refusal{View: c.View(), List: fail.All(err)})
	}
	defer h.s.Leave()
	r, _ := errors.AsType[*report.Refusal](change.NoteRefused(ctx, h.s, c))
	return newRefusal(r)
}

// Version says which emend this is.
func Version() api.Build { return version.Read() }
