package setup

import (
	"bytes"
	"slices"
)

// without is the file without the settings. If nobody has changed anything else since a backup was made, that is the
// backup, byte by byte, and if the file was made by setup, there is none afterwards; else the settings alone are taken
// out.
func (j *job) without(step *Step) (after []byte, gone bool, err error) {
	there := j.there(j.file.text)
	if len(there) == 0 {
		return j.file.found, false, nil
	}
	backups := j.file.backups()
	var spent []*file
	for _, b := range backups {
		if again, err := puts(b.text, there); err == nil && bytes.Equal(b.whole(again), j.file.found) {
			spent = append(spent, b)
		}
	}
	if b := j.original(spent, backups); b != nil {
		step.spent = spent
		return b.found, false, nil
	}
	if j.made(j.file) && !slices.ContainsFunc(backups, func(b *file) bool { return !j.made(b) }) {
		step.spent = spent
		return nil, true, nil
	}
	return j.dropped(there)
}

// original is the one of the spent backups with what a person had, if there is one. Where setup made the file, or where a
// backup has no entry of emend, the entry in another one is of an earlier setup, and does not come back.
func (j *job) original(spent, backups []*file) *file {
	without := func(b *file) bool { _, has := j.settings[0].now(b.text); return !has }
	if i := slices.IndexFunc(spent, without); i >= 0 {
		return spent[i]
	}
	if len(spent) == 0 || slices.ContainsFunc(backups, func(b *file) bool { return without(b) || j.made(b) }) {
		return nil
	}
	return spent[0]
}

// made reports whether the file has what setup writes where there is none, and nothing else.
func (j *job) made(f *file) bool {
	there := j.there(f.text)
	again, err := puts(nil, there)
	return err == nil && len(there) > 0 && bytes.Equal(again, f.found)
}

// there are the settings that a text has, as it has them.
func (j *job) there(text []byte) []setting {
	var out []setting
	for _, s := range j.settings {
		if is, ok := s.now(text); ok {
			out = append(out, is)
		}
	}
	return out
}

func (j *job) dropped(there []setting) ([]byte, bool, error) {
	text := j.file.text
	for _, s := range there {
		var err error
		if text, err = s.drop(text); err != nil {
			return nil, false, err
		}
	}
	return j.file.whole(text), false, nil
}

// puts is the text with all settings.
func puts(text []byte, settings []setting) ([]byte, error) {
	for _, s := range settings {
		var err error
		if text, err = s.put(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}
