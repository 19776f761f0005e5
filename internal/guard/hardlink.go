package guard

import (
	"slices"
	"strings"
)

// maxTwins is how many names of one directory are compared with a hard link.
const maxTwins = 4096

// twin is a protected file, and the names that protect it.
type twin struct {
	id    Identity
	as    []string
	rule  *rule
	depth int
}

// linked is a file with several names that was judged.
type linked struct {
	path string
	done []string
	file Identity
	asks *Asks
}

// checkHardLink refuses a file that is a protected one by another name. Only files with several names are asked, and
// they are compared with what is cheap to know: protected files directly at the root, files directly in a landmark,
// and git's hooks, at most [maxTwins] names of each directory.
func (w *walk) checkHardLink(e Entry) error {
	if e.Kind != Regular || e.Links < 2 {
		return nil
	}
	w.v.mu.Lock()
	w.v.linked = append(w.v.linked, linked{w.path, w.done, e.File, w.asks})
	w.v.mu.Unlock()
	return w.checkTwins(e.File)
}

func (w *walk) checkTwins(file Identity) error {
	for _, d := range w.v.watched(w.done) {
		for _, t := range w.v.twinsIn(d) {
			if t.id == file && !w.opened(t.as) {
				return protected(w.path, t.as, t.depth, t.rule)
			}
		}
	}
	return nil
}

// watched is a directory with protected files: where it is and the names that protect them.
type watched struct{ at, names []string }

func (v *Visit) watched(done []string) []watched {
	out := []watched{{}}
	for _, l := range v.landmarks(done) {
		out = append(out, watched{l.at, l.names})
		if l.rule.pattern == dotGit {
			out = append(out, watched{append(slices.Clip(l.at), "hooks"), append(slices.Clip(l.names), "hooks")})
		}
	}
	return out
}

// twinsIn finds the protected files in a directory, once.
func (v *Visit) twinsIn(d watched) []twin {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := strings.Join(d.at, "/") + "\x00" + strings.Join(d.names, "/")
	out, ok := v.twins[key]
	if !ok {
		out = v.list(d)
		v.twins[key] = out
	}
	return out
}

func (v *Visit) list(d watched) (out []twin) {
	h, err := v.dirs.dir(d.at)
	if err != nil {
		return nil // what cannot be reached has no names to compare
	}
	defer h.close()
	names, _ := h.list(maxTwins) // as many as can be had
	for _, name := range names {
		as := append(slices.Clip(d.names), name)
		r, depth := find(as, writing)
		if r == nil {
			continue
		}
		if is, err := h.stat(name); err == nil {
			out = append(out, twin{is.file, as, r, depth})
		}
	}
	return out
}
