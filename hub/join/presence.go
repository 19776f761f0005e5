package join

import (
	"context"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// quiet is the shortest time between two presences, since a busy log changes all the time.
const quiet = time.Second

// presence says how the workspace is: now, when that changes, and every wire.PresenceEvery.
func (j *Join) presence(ctx context.Context) {
	tick := time.NewTicker(wire.PresenceEvery)
	defer tick.Stop()
	for {
		if j.nc.IsConnected() {
			p := j.state(ctx)
			if err := j.ship.publishKey(wire.PresenceSubject(p.Workspace), p); err != nil {
				j.o.Log.Debug("presence was not sent", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(quiet):
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-j.say:
		case <-tick.C:
		}
	}
}

// state returns how the workspace is now.
func (j *Join) state(ctx context.Context) wire.Presence {
	ws, progress := j.workspace(), j.ship.Progress()
	p := wire.Presence{V: wire.Version, Workspace: j.o.Membership.Joined.Workspace, At: time.Now().UTC(), Started: j.started.UTC(), Root: ws.Root(), Host: j.host,
		Emend: emend.Version().Version, Ship: j.o.Ship, Allow: j.o.Allow, Head: progress.Local, Shipped: progress.Shipped, Stream: progress.Stream,
		Policy: ws.Host().PolicyHash(), Problem: progress.Problem, Lost: progress.Lost, Every: wire.PresenceEvery}
	j.mu.RLock()
	p.Pack, p.PackError = j.pack, j.packError
	j.mu.RUnlock()
	var err error
	if p.Frozen, err = ws.Host().Frozen(); err != nil && p.Problem == "" {
		p.Problem = err.Error()
	}
	if waiting, err := ws.Waiting(ctx); err == nil {
		p.Waiting = len(waiting)
	}
	return p
}

// lookEvery is the interval at which the board of questions, a directory with a few files, is read.
const lookEvery = 500 * time.Millisecond

// questions sends the calls that wait for a person to the hub, and takes them back when they do not wait any more. While there is a connection, calls
// may wait for an answer from there.
func (j *Join) questions(ctx context.Context) {
	if !j.o.Allow.Approve {
		return
	}
	ws := j.o.Membership.Joined.Workspace
	sent := map[string]bool{}
	defer func() {
		j.keepPage(false)
		for id := range sent {
			j.withdraw(ws, id) //nolint:errcheck // its time ends as well
		}
	}()
	connection, all := uint64(0), time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		j.keepPage(j.nc.IsConnected())
		if n := j.nc.Stats().Reconnects; j.sayAll.Swap(false) || n != connection || time.Since(all) > wire.PresenceEvery { // the hub may have forgotten
			connection, all = n, time.Now()
			for id := range sent {
				sent[id] = false
			}
		}
		if waiting, err := j.workspace().Waiting(ctx); err == nil && j.nc.IsConnected() {
			j.sendQuestions(ws, waiting, sent)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// keepPage opens the page by which calls may wait for an answer from the hub, or closes it.
func (j *Join) keepPage(open bool) {
	j.pageMu.Lock()
	defer j.pageMu.Unlock()
	switch {
	case open && j.leave == nil:
		j.leave = j.openPage(j.workspace())
	case !open && j.leave != nil:
		j.leave()
		j.leave = nil
	}
}

// openPage opens the page of a workspace. It returns nil, and logs why, if it cannot.
func (j *Join) openPage(ws *emend.Workspace) (leave func()) {
	leave, err := ws.Host().PageOpen(api.AnsweredByHub)
	if err != nil {
		j.o.Log.Warn("calls cannot wait for an answer from the hub", "error", err)
		return nil
	}
	return leave
}

func (j *Join) sendQuestions(ws string, waiting []api.Waiting, sent map[string]bool) {
	now := map[string]bool{}
	for i := range waiting {
		w := &waiting[i]
		if now[w.ID] = true; sent[w.ID] {
			continue
		}
		q := wire.Question{V: wire.Version, Workspace: ws, ID: w.ID, Since: w.Since, Deadline: w.Deadline, Root: w.Question.Root, Below: w.Below,
			Actor: w.Question.Actor, Paths: w.Question.Paths, Digest: w.Question.Digest, ForSession: w.ForSession, PageOnly: w.Question.PageOnly}
		q.Diff, q.NotShown = j.shown(w.Question.Diff)
		if err := j.ship.publishKey(wire.QuestionSubject(ws, w.ID), q); err == nil {
			sent[w.ID] = true
			j.announce()
		}
	}
	for id := range sent {
		if !now[id] && j.withdraw(ws, id) == nil {
			delete(sent, id)
			j.announce()
		}
	}
}

// withdraw says, signed, that nobody waits any more: a question whose time is over. That a key is removed says nothing to the hub, as others can do it.
func (j *Join) withdraw(ws, id string) error {
	return j.ship.publishKey(wire.QuestionSubject(ws, id), wire.Question{V: wire.Version, Workspace: ws, ID: id})
}

// shown returns a diff as far as the hub may see it, or why it may not.
func (j *Join) shown(diff string) (shown, why string) {
	switch {
	case diff == "":
		return "", ""
	case !j.o.Ship.Diffs():
		return "", "the workspace sends records only"
	case emend.HasKey(diff):
		return "", "a line looks like a key"
	}
	return diff, ""
}
