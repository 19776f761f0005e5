package suggest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// withoutAnchors offers the hunks whose anchors lead elsewhere without these, if no line with words, of those that they add too,
// is anywhere but at their place: then nothing in the file is what the anchors may mean.
func withoutAnchors(p *place.Placement, errs fail.List, print func(patch.Hunk) (string, bool)) Corrections {
	if print == nil {
		return nil
	}
	type sightings struct{ here, elsewhere int }
	seen := map[*fail.Error]*sightings{}
	wants := map[string][]*fail.Error{}
	for _, e := range errs {
		h := &p.Hunks[e.Hunk-1]
		if !p.Spots[e.Hunk-1].OffAnchor || e.Already || len(h.Lines) > maxLines || len(seen) == refusal.MaxExplained {
			continue
		}
		seen[e] = &sightings{}
		for _, l := range h.Lines {
			if key := match.Fold(patch.Unicode, l.Text()); weight(key) == 1 && !slices.Contains(wants[key], e) {
				wants[key] = append(wants[key], e)
			}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(wants))
	for i, places := range match.Lines(p.File, patch.Unicode, keys, maxVotes) {
		for _, e := range wants[keys[i]] {
			for _, n := range places {
				if s := &p.Spots[e.Hunk-1]; s.Start <= n && n < s.Stop {
					seen[e].here++
				} else {
					seen[e].elsewhere++
				}
			}
		}
	}
	out := Corrections{}
	for e, at := range seen {
		if at.here < 2 || at.elsewhere > 0 {
			continue
		}
		h := p.Hunks[e.Hunk-1]
		anchor := h.Anchors[len(h.Anchors)-1]
		h.Anchors = nil
		if text, ok := print(h); ok && len(text) <= maxCorrected {
			s := &p.Spots[e.Hunk-1]
			e.Nearest = refusal.Nearest(p.File, s.Start, s.Stop, fmt.Sprintf("the anchor %s is elsewhere, and no line of the hunk is there", fail.Quote(anchor)))
			e.Nearest.Corrected = text
			e.Hint = "Send the corrected hunk instead, which has no anchor, if this is the place that you mean."
			out[e] = h
		}
	}
	return out
}
