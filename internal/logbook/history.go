package logbook

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// History lists entries, the newest first.
func History(ctx context.Context, w *workspace.Workspace, r api.HistoryRequest) (*api.Answer[api.HistoryData], error) {
	rd, err := Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	f, err := newHistoryFilter(w, r)
	if err != nil {
		return nil, err
	}
	data, err := rd.history(ctx, f)
	if err != nil {
		return nil, err
	}
	notes := rd.Notes
	return report.Found(data, notes, func() string { return historyText(data, notes) }), nil
}

func (rd *Reader) history(ctx context.Context, f *Filter) (api.HistoryData, error) {
	data, o, calls := api.HistoryData{Entries: []api.LogEntry{}}, NewOutcomes(), 0
	for r, err := range rd.Records(ctx, o, f.query(o, rd.Paths)) {
		if err != nil {
			return data, err
		}
		if f.tooOld(r) {
			break
		}
		entries := rd.entries(o, r, f)
		if f.trash {
			entries = slices.DeleteFunc(entries, func(e api.LogEntry) bool { return e.TrashedTo == "" })
		}
		if len(entries) == 0 {
			continue
		}
		if calls++; f.byCall && f.limit > 0 && calls > f.limit {
			data.Truncated = true
			break
		}
		if room := f.limit - len(data.Entries); !f.byCall && f.limit > 0 && len(entries) > room {
			data.Entries, data.Truncated = append(data.Entries, entries[:room]...), true
			break
		}
		data.Entries = append(data.Entries, entries...)
	}
	return data, nil
}
