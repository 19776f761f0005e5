package guard

import (
	"slices"
	"strings"
)

// maxTwins is how many names of one directory are compared with a hard link.
const maxHardLinkNames = 4096

// twin is a protected file, and the names that protect it.
type protectedFile struct {
	identity  Identity
	ruleNames []string
	rule      *rule
	depth     int
}

// linked is a file with several names that was judged.
type hardLinkedFile struct {
	path        string
	dir         []string
	openRegular Identity
	asked       *AskedPaths
}

// checkHardLink refuses a file that is a protected one by another name. Only files with several names are asked, and
// they are compared with what is cheap to know: protected files directly at the root, files directly in a landmark,
// and git's hooks, at most [maxTwins] names of each directory.
func (w *pathWalk) checkHardLink(e Entry) error {
	if e.Kind != Regular || e.Links < 2 {
		return nil
	}
	w.v.mu.Lock()
	w.v.hardLinks = append(w.v.hardLinks, hardLinkedFile{w.path, w.resolved, e.File, w.asked})
	w.v.mu.Unlock()
	return w.compareWithProtected(e.File)
}

func (w *pathWalk) compareWithProtected(file Identity) error {
	for _, d := range w.v.watchedDirs(w.resolved) {
		for _, t := range w.v.findProtectedFiles(d) {
			if t.identity == file && !w.mayWrite(t.ruleNames) {
				return refuseProtected(w.path, t.ruleNames, t.depth, t.rule)
			}
		}
	}
	return nil
}

// watched is a directory with protected files: where it is and the names that protect them.
type watchedDir struct{ names, ruleNames []string }

func (v *Batch) watchedDirs(done []string) []watchedDir {
	out := []watchedDir{{}}
	for _, l := range v.protectedDirs(done) {
		out = append(out, watchedDir{l.names, l.ruleNames})
		if l.rule.pattern == dotGit {
			out = append(out, watchedDir{append(slices.Clip(l.names), "hooks"), append(slices.Clip(l.ruleNames), "hooks")})
		}
	}
	return out
}

// twinsIn finds the protected files in a directory, once.
func (v *Batch) findProtectedFiles(d watchedDir) []protectedFile {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := strings.Join(d.names, "/") + "\x00" + strings.Join(d.ruleNames, "/")
	out, ok := v.protectedFilesIn[key]
	if !ok {
		out = v.listProtectedFiles(d)
		v.protectedFilesIn[key] = out
	}
	return out
}

func (v *Batch) listProtectedFiles(d watchedDir) (out []protectedFile) {
	h, err := v.dirs.openDir(d.names)
	if err != nil {
		return nil // what cannot be reached has no names to compare
	}
	defer h.close()
	names, _ := h.list(maxHardLinkNames) // as many as can be had
	for _, name := range names {
		as := append(slices.Clip(d.ruleNames), name)
		r, depth := findRule(as, writing)
		if r == nil {
			continue
		}
		if is, err := h.stat(name); err == nil {
			out = append(out, protectedFile{is.openRegular, as, r, depth})
		}
	}
	return out
}
