package setup

import (
	"bytes"
	"slices"
)

// withoutSettings returns the file without the settings.
//
// If nothing else changed since a backup was made, the result is that backup, byte by byte. If setup made the file,
// gone is true. Otherwise only the settings are removed.
func (e *fileEdit) withoutSettings(step *Step) (after []byte, gone bool, err error) {
	present := e.present(e.file.text)
	if len(present) == 0 {
		return e.file.content, false, nil
	}
	backups := e.file.backups()
	var obsolete []*file
	for _, backup := range backups {
		if reapplied, err := putAll(backup.text, present); err == nil && bytes.Equal(backup.withBOM(reapplied), e.file.content) {
			obsolete = append(obsolete, backup)
		}
	}
	if backup := e.originalBackup(obsolete, backups); backup != nil {
		step.obsolete = obsolete
		return backup.content, false, nil
	}
	if e.madeBySetup(e.file) && !slices.ContainsFunc(backups, func(backup *file) bool { return !e.madeBySetup(backup) }) {
		step.obsolete = backups // nothing in them is a person's
		return nil, true, nil
	}
	return e.removeSettings(present)
}

// originalBackup returns the backup with what a person had, of the backups to which setup added nothing but the
// settings, or nil. If setup made the file, or if some backup has no entry of emend, then an entry in another backup
// is from an earlier setup and does not come back.
func (e *fileEdit) originalBackup(obsolete, backups []*file) *file {
	hasNoEntry := func(b *file) bool { _, has := e.all()[0].current(b.text); return !has }
	if i := slices.IndexFunc(obsolete, hasNoEntry); i >= 0 {
		return obsolete[i]
	}
	if len(obsolete) == 0 || slices.ContainsFunc(backups, func(b *file) bool { return hasNoEntry(b) || e.madeBySetup(b) }) {
		return nil
	}
	return obsolete[0]
}

// madeBySetup reports whether the file has exactly what setup writes if there is no file.
func (e *fileEdit) madeBySetup(f *file) bool {
	present := e.present(f.text)
	reapplied, err := putAll(nil, present)
	return err == nil && len(present) > 0 && bytes.Equal(reapplied, f.content)
}

// present returns the settings that a text has, with the values that it has.
func (e *fileEdit) present(text []byte) []setting {
	var out []setting
	for _, s := range e.all() {
		if is, ok := s.current(text); ok {
			out = append(out, is)
		}
	}
	return out
}

func (e *fileEdit) removeSettings(present []setting) ([]byte, bool, error) {
	text := e.file.text
	for _, s := range present {
		var err error
		if text, err = s.remove(text); err != nil {
			return nil, false, err
		}
	}
	return e.file.withBOM(text), false, nil
}
