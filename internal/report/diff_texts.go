package report

import (
	"fmt"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// DiffOfTexts returns the diff of a file that no plan made. operation is add, update or delete.
func DiffOfTexts(operation, path, before, after string) string {
	s := plan.Step{Path: path, To: path, Before: before, After: after, Op: patch.Update}
	s.Source.Kind = plan.Regular
	switch operation {
	case patch.Add.String():
		s.Op = patch.Add
	case patch.Delete.String():
		s.Op = patch.Delete
	default:
		if text.Binary(before) || text.Binary(after) {
			return fmt.Sprintf("diff --git %s %s\nBinary files differ\n", dialect.QuotePath("a/"+path), dialect.QuotePath("b/"+path))
		}
		s.Edits = text.Between(before, after)
	}
	return Diff(&s)
}
