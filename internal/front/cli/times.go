package cli

import "time"

var (
	clockLayouts = []string{"15:04", "15:04:05"}
	dateLayouts  = []string{"2006-01-02 15:04", "2006-01-02 15:04:05"}
)

// localTime returns a time of today, or a date with a time, as the log writes times. Both are local. It returns other text as it is. A time of
// day that is still to come, or that a change of the clock left out or repeats, is an error that says what to write instead.
func localTime(text string, now time.Time) (string, error) {
	for _, layout := range clockLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			y, m, d := now.Date()
			at = time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
			today, err := inZone(text, at, now.Location())
			if err == nil && today.After(now) {
				return "", usageErrorf("", "%s is still to come today. For yesterday write %q", text, at.AddDate(0, 0, -1).Format(dateLayouts[0]))
			}
			return today.Format(time.RFC3339), err
		}
	}
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			at, err = inZone(text, at, now.Location())
			return at.Format(time.RFC3339), err
		}
	}
	return text, nil
}

// inZone returns the time at which clocks in a zone show what at shows.
func inZone(text string, at time.Time, zone *time.Location) (time.Time, error) {
	var found []time.Time
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := at.Add(near).In(zone).Zone()
		t := at.Add(-time.Duration(offset) * time.Second).In(zone)
		if _, is := t.Zone(); is == offset && (len(found) == 0 || !t.Equal(found[0])) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return at, usageErrorf("", "there was no %s on %s here: the clock was put forward. Write another time", text, at.Format(time.DateOnly))
	case 2:
		return at, usageErrorf("", "%s came twice on %s here: the clock was put back. Write %s for the first time or %s for the second", text, at.Format(time.DateOnly),
			found[0].Format(time.RFC3339), found[1].Format(time.RFC3339))
	}
	return found[0], nil
}
