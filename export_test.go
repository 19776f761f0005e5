package emend

import "github.com/emend-dev/emend/internal/explain"

// Value returns the value that an explanation words.
func (e *Explanation) Value() *explain.Explanation { return e.e }
