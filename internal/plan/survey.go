package plan

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
)

// Survey is what [Build] finds out about every section on the way to a plan or a refusal.
type Survey struct {
	Plan     *Plan     // what the patch would do; nil when it is refused
	Refused  fail.List // why, in patch order
	Sections []SurveyedSection

	file  *text.Lines // of the current section
	hunks []HunkPlace
}

// SurveyedSection describes the outcome of one section.
type SurveyedSection struct {
	Step   Step        // as far as it was decided
	Failed fail.List   // why it is refused, including the refusals of its hunks
	File   *text.Lines // where its hunks were looked for; nil if it was not read
	Hunks  []HunkPlace // one for each hunk; none if they were not looked for

	Skipped bool // it is already applied and left out
}

// Refuse adds refusals, each to its section.
func (v *Survey) Refuse(list fail.List) {
	v.Refused = append(v.Refused, list...)
	for _, e := range list {
		if i := e.Section - 1; i >= 0 && i < len(v.Sections) {
			v.Sections[i].Failed = append(v.Sections[i].Failed, e)
		}
	}
}

// noteHunks notes the places of the current section's hunks, unless placing them was given up.
func (v *Survey) noteHunks(p *place.Placement) {
	v.file = p.File
	if p.Limit() == nil {
		v.hunks = p.HunkPlaces()
	}
}
