package change

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/credential"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// markUnasked notes in the log's operations, one for each step, where nobody could be asked. A path that no step names is the
// protected name of a file that a step reaches by another: it marks the first.
func markUnasked(ops []audit.Op, steps []plan.Step, about []api.AskedPath) {
	for _, a := range about {
		i := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Path == a.Path || s.Op == patch.Move && s.To == a.Path })
		ops[max(i, 0)].Unasked = a.Rule
	}
}

// maxKeys limits the lines with keys that the log has of one file.
const maxKeys = 20

// markKeys notes in the log's operations which lines that a step writes look like keys. It returns notes that say so.
func markKeys(ops []audit.Op, steps []plan.Step) (notes []string) {
	for i := range steps {
		s := &steps[i]
		hits := writtenKeys(s)
		for _, h := range hits[:min(len(hits), maxKeys)] {
			ops[i].Keys = append(ops[i].Keys, audit.Key{Line: h.Line, Kind: h.Kind})
		}
		if len(hits) > 0 {
			notes = append(notes, s.Writes+": "+credential.Note(hits)+". If it is one, it does not belong into a file that has no rule.")
		}
	}
	return notes
}

// writtenKeys returns what looks like a key in the lines that a step adds or changes.
func writtenKeys(s *plan.Step) []credential.Hit {
	if s.FromHistory != "" || s.Op == patch.Delete || s.After == s.Before {
		return nil
	}
	hits := credential.Find(s.After)
	if s.Op == patch.Add {
		return hits
	}
	return slices.DeleteFunc(hits, func(h credential.Hit) bool {
		return !slices.ContainsFunc(s.Edits, func(c text.Change) bool { return h.Line <= c.B1 && h.LastLine > c.B0 })
	})
}
