package change

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/plan"
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
