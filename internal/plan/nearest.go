package plan

import "github.com/emend-dev/emend/internal/fail"
import "github.com/emend-dev/emend/patch"

func (p *placer) explain(errs fail.List, show func(patch.Hunk) (string, bool)) {}
