package plan

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Limits on looking for hunks in the files of other sections.
const (
	maxSwapped      = 20      // hunks, and files
	maxSwappedBytes = 4 << 20 // of all these files
)

// checkSwapped withdraws the corrections of hunks whose lines are in the file of another section, and not in their own: headers may be
// swapped.
func (b *builder) checkSwapped(sections []patch.Section) {
	var wrong []*fail.Error
	for _, e := range b.errs {
		if e.Hunk > 0 && e.Nearest != nil && e.Nearest.Corrected != "" && len(wrong) < maxSwapped {
			wrong = append(wrong, e)
		}
	}
	if len(wrong) == 0 || len(sections) < 2 {
		return
	}
	files, left := map[string]string{}, maxSwappedBytes
	for i := range sections {
		if s := &sections[i]; s.Op == patch.Update && len(files) < maxSwapped {
			if f, err := b.src.Look(b.ctx, s.Path, b.rules.Absolute); err == nil && f.Kind == Regular && f.Size <= int64(left) {
				if data, _, err := b.load(f); err == nil {
					files[s.Path] = text.LF + strings.ReplaceAll(data, text.CRLF, text.LF) + text.LF
					left -= len(data)
				}
			}
		}
	}
	for _, e := range wrong {
		s := &sections[e.Section-1]
		lines := text.LF + strings.Join(s.Hunks[e.Hunk-1].Old(), text.LF) + text.LF
		for path, data := range files {
			if path != s.Path && strings.Contains(data, lines) && !strings.Contains(files[s.Path], lines) {
				e.Nearest.Corrected = ""
				e.Hint = fmt.Sprintf("The hunk's lines are in %s as they are: move it under the header of that file, if that is meant.", fail.Quote(path))
			}
		}
	}
}
