package emend

import (
	"context"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/workspace"
)

// Waiting lists the calls that wait for a person, the oldest first.
func (w *Workspace) Waiting(ctx context.Context) ([]api.Waiting, error) {
	return call(ctx, w.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) ([]api.Waiting, error) {
		return consent.Waiting(ctx, ws)
	}, struct{}{})
}

// WaitingFor returns one of the calls that wait.
func (h *Host) WaitingFor(ctx context.Context, id string) (*api.Waiting, error) {
	return call(ctx, h.s, consent.WaitingFor, id)
}

// Allow answers a waiting call with yes. The first answer counts.
func (w *Workspace) Allow(ctx context.Context, r api.AllowRequest) (*api.Answer[api.AnsweredData], error) {
	return call(ctx, w.s, consent.Allow, r)
}

// Deny answers a waiting call with no. The first answer counts.
func (w *Workspace) Deny(ctx context.Context, r api.DenyRequest) (*api.Answer[api.AnsweredData], error) {
	return call(ctx, w.s, consent.Deny, r)
}

// Grants are what a person allowed for the rest of one session. A program that serves sessions keeps one for each, as long as
// the session lasts. It must know the session by something that nobody else can name.
type Grants = consent.Grants

// AskAtPage asks the person who has a page open, and waits at most patience for the answer. It is a hook for [WithAsker].
// Where no page is open it refuses at once, with an error that is [api.ErrNoPage]. It asks nobody about what g covers; a
// person may add to g. If g is nil, the call belongs to no session, and a yes is for this call alone.
func (h *Host) AskAtPage(ctx context.Context, q api.Question, patience time.Duration, g *Grants) (by string, err error) {
	return consent.AskAtPage(ctx, h.s, q, patience, g)
}

// PageOpen announces that a person sees what waits, until leave is called, the workspace is closed or the process ends. means
// says where: a policy may want answers of [api.AnsweredByPage] only. A page that is left for the next should stay announced
// for a moment, since the person has not left.
func (h *Host) PageOpen(means string) (leave func(), err error) {
	return call(context.Background(), h.s, consent.OpenPage, means)
}
