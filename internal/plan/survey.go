package plan

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
)

// Survey is what [Build] finds out about every section on its way to a plan or a refusal.
type Survey struct {
	Plan     *Plan     // what the patch would do; nil when it is refused
	Refused  fail.List // why, in patch order
	Sections []SurveyedSection

	file  *text.Lines // of the section in hand
	hunks []HunkPlace
}

// SurveyedSection is what was found out about one section.
type SurveyedSection struct {
	Step   Step        // as far as it was settled
	Failed fail.List   // why it is refused; its hunks have theirs in here as well
	File   *text.Lines // where its hunks were looked for; nil when it was not read
	Hunks  []HunkPlace // one a hunk; none when they were not looked for

	Skipped bool // all of it is already applied, and left out
}

// Refuse adds failures, each to its section.
func (v *Survey) Refuse(list fail.List) {
	v.Refused = append(v.Refused, list...)
	for _, e := range list {
		if i := e.Section - 1; i >= 0 && i < len(v.Sections) {
			v.Sections[i].Failed = append(v.Sections[i].Failed, e)
		}
	}
}

// noteHunks notes where the hunks of the section in hand stand, if placing them came to its end.
func (v *Survey) noteHunks(p *place.Placement) {
	v.file = p.File
	if p.Limit() == nil {
		v.hunks = p.HunkPlaces()
	}
}
