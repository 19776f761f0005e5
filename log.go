package emend

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/trace"
	"github.com/emend-dev/emend/internal/version"
	"github.com/emend-dev/emend/internal/workspace"
)

// History lists the log, the newest entry first: one for every file below the root that a call changed or tried to change.
// It waits for no lock.
func (w *Workspace) History(ctx context.Context, r api.HistoryRequest) (*api.Answer[api.HistoryData], error) {
	return call(ctx, w.s, logbook.History, r)
}

// Timeline lists calls, each with all its files, where [Workspace.History] lists files. It waits for no lock.
func (w *Workspace) Timeline(ctx context.Context, r api.TimelineRequest) (*api.Timeline, error) {
	return call(ctx, w.s, logbook.Timeline, r)
}

// Show returns all that is known of one entry: of a transaction, by its name, by the first six or more characters of it, or by the
// beginning of its random part; of a record, by its number (#12, or 12).
func (w *Workspace) Show(ctx context.Context, entry string) (*api.Answer[api.EntryData], error) {
	return call(ctx, w.s, logbook.Show, entry)
}

// SessionName returns the name of the session that a person abbreviates by its beginning. A name that no session has stays as it is.
func (h *Host) SessionName(ctx context.Context, given string) (string, error) {
	return call(ctx, h.s, logbook.SessionName, given)
}

// FilesSince tells what became of the files of an entry, in the order of its files, by what the log has of them since and by
// what is there now. An entry that changed nothing has none. It waits for no lock.
func (h *Host) FilesSince(ctx context.Context, entry string) ([]api.FileSince, error) {
	return call(ctx, h.s, trace.FilesSince, entry)
}

// FileHistory lists the versions of a file, the newest first, back through its moves. At each path it goes on with what was
// there before, even where that was deleted or moved away. A limit of 0 stands for 200 versions. It waits for no lock.
func (w *Workspace) FileHistory(ctx context.Context, path string, limit int) (*api.FileHistory, error) {
	return call(ctx, w.s, func(ctx context.Context, ws *workspace.Workspace, path string) (*api.FileHistory, error) {
		return trace.FileHistory(ctx, ws, path, limit)
	}, path)
}

// Blame says where the lines of a file come from: from which entries of the log, as far as they went through emend or were seen
// by it. It follows the file back through its moves and through what was undone. It waits for no lock.
func (w *Workspace) Blame(ctx context.Context, r api.BlameRequest) (*api.Answer[api.Blame], error) {
	return call(ctx, w.s, trace.Blame, r)
}

// AgentTrace returns what [Workspace.Blame] says as a record of Agent Trace, made by this program, now. It has no revision of a
// version control system, since the log knows none.
func (h *Host) AgentTrace(ctx context.Context, r api.BlameRequest) (*api.AgentTrace, error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, r api.BlameRequest) (*api.AgentTrace, error) {
		return trace.AgentTrace(ctx, ws, r, version.Read().Version)
	}, r)
}

// SessionChanges returns what a session did as one difference: for each file from what it was before the session first
// changed it to what the session left. The difference includes what others did to the file in between, with a note. It
// waits for no lock.
func (w *Workspace) SessionChanges(ctx context.Context, session string) (*api.SessionChanges, error) {
	return call(ctx, w.s, trace.SessionChanges, session)
}

// Tally counts in t what the log has since t was counted last; the zero Tally has counted nothing. After an error t is as
// it was. It waits for no lock.
func (h *Host) Tally(ctx context.Context, t *api.Tally) error {
	_, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, t *api.Tally) (struct{}, error) {
		return struct{}{}, logbook.UpdateTally(ctx, ws, t)
	}, t)
	return err
}

// Records returns the records of the log behind a head, the oldest first, for a program that keeps a verified copy of them. It makes
// them durable here before. It waits for no lock.
func (h *Host) Records(ctx context.Context, r api.RecordsRequest) (*api.Records, error) {
	return call(ctx, h.s, logbook.Records, r)
}

// ParseRecord reads a line of a log, without its newline, and checks it against its hash. That it continues the record before it
// is for the caller to check.
func ParseRecord(line []byte) (*api.Record, error) { return logbook.ParseRecord(line) }

// Watch calls tell with the head of the log, at once and then whenever it changes, until ctx ends. There need not be a
// store yet: its head is zero. A store that cannot be read at first is an error; one that cannot be read later is looked
// for again. Nothing stays open between two looks, and while nothing is written a look costs the names and sizes of the
// log's files.
func (w *Workspace) Watch(ctx context.Context, tell func(api.Head)) error {
	_, err := call(ctx, w.s, func(ctx context.Context, ws *workspace.Workspace, tell func(api.Head)) (struct{}, error) {
		return struct{}{}, logbook.Watch(ctx, ws, tell)
	}, tell)
	return err
}

// Follow calls tell with the entries that [Workspace.History] lists, but the oldest first, and then with those that come,
// until ctx ends. There need not be a store yet. An entry is told again when its change was aborted, or a recovery took it
// back, after it was told. Notes are what a person should know, each told once. An error of tell ends it.
func (w *Workspace) Follow(ctx context.Context, r api.HistoryRequest, tell func(entries []api.LogEntry, notes []string) error) error {
	var stopped error
	_, err := call(ctx, w.s, func(ctx context.Context, ws *workspace.Workspace, r api.HistoryRequest) (struct{}, error) {
		return struct{}{}, logbook.Follow(ctx, ws, r, func(entries []api.LogEntry, notes []string) error {
			stopped = tell(entries, notes)
			return stopped
		})
	}, r)
	if stopped != nil {
		return stopped
	}
	return err
}

// ChangesSince returns what was changed since a point of the log and is in effect, session by session or as a whole. What emend saw and
// nobody is known to have made is left out. It waits for no lock.
func (h *Host) ChangesSince(ctx context.Context, r api.ChangesRequest) (*api.Changes, error) {
	return call(ctx, h.s, trace.ChangesSince, r)
}

// Verify checks every record of the log, or those behind the head of r.Since, and that the heads of r.Heads, which somebody
// kept, are in it. It compares each file with its last entry. It reads only, and reports to a [WithProgress]. What it finds
// wrong is in the report; the error is for what it cannot read.
func (w *Workspace) Verify(ctx context.Context, r api.VerifyRequest) (*api.VerifyReport, error) {
	return call(ctx, w.s, logbook.Verify, r)
}

// DroppableLog returns what [Host.DropLog] would drop.
func (h *Host) DroppableLog(ctx context.Context, r api.DropLogRequest) (*api.DroppedLog, error) {
	return call(ctx, h.s, kept.DroppableLog, r)
}

// DropLog removes the oldest segments of the log, as far as r, or the policy, does not keep them. A record says which they
// were. A segment with a change of which the history has something stays, and so do all after it, and the last one. What was
// dropped can neither be shown nor undone, and its idempotency keys are forgotten.
func (h *Host) DropLog(ctx context.Context, r api.DropLogRequest) (*api.DroppedLog, error) {
	return call(ctx, h.s, kept.DropLog, r)
}
