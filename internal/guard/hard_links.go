package guard

import (
	"slices"
	"strings"
)

// maxHardLinkNames is how many names of one directory are compared with a hard link.
const maxHardLinkNames = 4096

// checkHardLink refuses a file that is a protected one under another name. Only files with several names are checked. They
// are compared with what is cheap to know: protected files directly at the root, files directly in a protected directory, and
// git's hooks, at most [maxHardLinkNames] names of each directory.
func (w *pathWalk) checkHardLink(e Entry) error {
	if e.Kind != Regular || e.Links < 2 {
		return nil
	}
	w.batch.mu.Lock()
	w.batch.hardLinks = append(w.batch.hardLinks, hardLinkedFile{w.path, w.resolved, e.File, w.asked})
	w.batch.mu.Unlock()
	return w.compareWithProtected(e.File)
}

func (w *pathWalk) compareWithProtected(file Identity) error {
	for _, d := range w.batch.watchedDirs(w.resolved) {
		for _, t := range w.batch.findProtectedFiles(d) {
			if t.identity != file {
				continue
			}
			if err := w.guard.decide(w.path, t.ruleNames, true, w.asked, t.rule, t.depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// watchedDir is a directory with protected files: its names, and the names by which rules protect it.
type watchedDir struct{ names, ruleNames []string }

func (b *Batch) watchedDirs(done []string) []watchedDir {
	out := []watchedDir{{}}
	for _, l := range b.protectedDirs(done) {
		out = append(out, watchedDir{l.names, l.ruleNames})
		if l.rule.pattern == dotGit {
			out = append(out, watchedDir{append(slices.Clip(l.names), "hooks"), append(slices.Clip(l.ruleNames), "hooks")})
		}
	}
	return out
}

// findProtectedFiles finds the protected files in a directory, once for a batch.
func (b *Batch) findProtectedFiles(d watchedDir) []protectedFile {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Join(d.names, "/") + "\x00" + strings.Join(d.ruleNames, "/")
	out, ok := b.protectedFilesIn[key]
	if !ok {
		out = b.listProtectedFiles(d)
		b.protectedFilesIn[key] = out
	}
	return out
}

func (b *Batch) listProtectedFiles(d watchedDir) (out []protectedFile) {
	h, err := b.cache.openDir(d.names)
	if err != nil {
		return nil // if it cannot be reached there are no names to compare
	}
	defer h.close()
	names, _ := h.list(maxHardLinkNames) // what could be listed before an error
	for _, name := range names {
		as := append(slices.Clip(d.ruleNames), name)
		r, depth := findRule(as, writing)
		if r == nil {
			continue
		}
		if is, err := h.stat(name); err == nil {
			out = append(out, protectedFile{is.id, as, r, depth})
		}
	}
	return out
}
