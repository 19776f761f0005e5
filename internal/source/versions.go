package source

import (
	"bytes"
	"context"
	"iter"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// The versions on record that a plan looks at, without a hash.
const (
	maxVersions     = 16
	maxVersionBytes = 16 << 20 // of all of them
)

// Versions implements [plan.Source]. It yields what the history keeps, as far as both the file and the path at which the log has the
// version may be read without asking anybody.
func (r *Reader) Versions(ctx context.Context, f plan.File, sum string) iter.Seq[plan.Version] {
	return func(yield func(plan.Version) bool) {
		if r.W.Guard.CheckRead(f.Rel) != nil {
			return
		}
		rd, err := logbook.Open(r.W)
		if err != nil {
			return // what cannot be read may say that contents were purged
		}
		defer rd.Close()
		v := versions{rd: rd, rel: f.Rel, sum: sum, known: map[string]bool{r.KnownSum(f): true}, yield: yield}
		for _, read := range r.reads(ctx, rd, f.Rel, sum) {
			if !v.known[read.Sha256] && !v.found(read.Data, read.Sha256) {
				return
			}
		}
		if rd.Log != nil {
			v.contents = kept.Of(rd.History)
			v.walk(ctx)
		}
	}
}

// reads returns what callers were shown of a path since anything was last purged, in whatever process.
func (r *Reader) reads(ctx context.Context, rd *logbook.Reader, rel, sum string) []workspace.Read {
	all := r.W.Reads(rel, sum)
	if len(all) == 0 {
		return nil
	}
	oldest := all[len(all)-1].At
	headers := audit.Query{Need: func(audit.Kind, []byte) audit.Detail { return audit.Header }}
	for e, err := range rd.Records(ctx, logbook.NewOutcomes(), headers) {
		if err != nil {
			return nil
		}
		if e.TS.Before(oldest) {
			break
		}
		if e.Kind == audit.Purge {
			r.W.ForgetReads(e.TS)
			return r.W.Reads(rel, sum)
		}
	}
	return all
}

// versions looks for versions of a file in the history.
type versions struct {
	rd       *logbook.Reader
	contents kept.Contents
	rel, sum string
	known    map[string]bool // by sum: need not be looked for any more
	bytes    int
	yield    func(plan.Version) bool
}

// walk goes back through the log. A damaged log is read as far as it goes.
func (v *versions) walk(ctx context.Context) {
	keys := audit.Keys{}
	wanted := logbook.SumSet{v.sum: true}.InLine
	if v.sum != "" {
		keys.Add(audit.BySum, v.sum)
	} else {
		quoted := logbook.Quoted(v.rd.ToTop(v.rel))
		keys.AddQuoted(audit.ByPath, string(quoted))
		wanted = func(line []byte) bool { return bytes.Contains(line, quoted) }
	}
	o, pending := logbook.NewOutcomes(), v.rd.Pending()
	for r, err := range v.rd.Records(ctx, o, logbook.WithKeys(o, keys, wanted)) {
		if err != nil {
			return
		}
		if !logbook.IsTransaction(r) || o.Failed(r) != nil || pending[r.Tx] {
			continue
		}
		for i := range r.Acts {
			if !v.act(r, &r.Acts[i]) {
				return
			}
		}
	}
}

// act yields the version that a step left, and then the one that it displaced. It reports false at the end.
func (v *versions) act(r *audit.Record, a *audit.Act) bool {
	path, ok := v.rd.FromTop(a.Path)
	if !ok || v.sum == "" && path != v.rel || v.rd.Guard.CheckRead(path) != nil {
		return true
	}
	if a.New != nil && a.Places() && v.wants(a.New) {
		if out, err := v.contents.Rebuild(r, a); err == nil && !v.found(out.Text, a.New.Sum) {
			return false
		}
	}
	if a.Old != nil && a.Displaces() && v.wants(a.Old) {
		data, _, err := v.contents.Text(history.Slot(r.Tx, a.Slot), kept.MaxText)
		if err == nil && text.Sum(data) == a.Old.Sum && !v.found(data, a.Old.Sum) {
			return false
		}
	}
	return true
}

// wants reports whether a version is looked for.
func (v *versions) wants(i *audit.Ident) bool {
	return !i.Link && !v.known[i.Sum] && (v.sum == "" || v.sum == i.Sum)
}

// found yields a version, and reports whether to go on.
func (v *versions) found(data, sum string) bool {
	v.known[sum] = true
	v.bytes += len(data)
	return v.bytes <= maxVersionBytes && v.yield(plan.Version{Data: data, Sha256: sum}) && v.sum == "" && len(v.known) <= maxVersions
}
