package guard

import "slices"

// maxTwins is how many names of one directory are compared with a hard link.
const maxTwins = 4096

// checkHardLink refuses a file that is a protected one by another name. Only files with several names are asked, and
// they are compared with what is cheap to know: protected files directly at the root, files directly in a landmark,
// and git's hooks, at most [maxTwins] names of each directory.
func (w *walk) checkHardLink(e Entry) error {
	if e.Kind != Regular || e.Links < 2 {
		return nil
	}
	for _, d := range w.g.watched(w.done) {
		if err := w.checkTwins(e.File, d); err != nil {
			return err
		}
	}
	return nil
}

// watched is a directory with protected files: where it is and the names that protect them.
type watched struct{ at, names []string }

func (g *Guard) watched(done []string) []watched {
	out := []watched{{}}
	for _, l := range g.landmarks(done) {
		out = append(out, watched{l.at, l.names})
		if l.rule.pattern == dotGit {
			out = append(out, watched{append(slices.Clip(l.at), "hooks"), append(slices.Clip(l.names), "hooks")})
		}
	}
	return out
}

func (w *walk) checkTwins(file Identity, d watched) error {
	h, err := w.g.tree.dir(d.at)
	if err != nil {
		return nil // what cannot be reached has no names to compare
	}
	defer h.close()
	names, _ := h.list(maxTwins) // as many as can be had
	for _, name := range names {
		as := append(slices.Clip(d.names), name)
		r, depth := find(as, writing)
		if r == nil || w.opened(as) {
			continue
		}
		if is, err := h.stat(name); err == nil && is.file == file {
			return protected(w.path, as, depth, r)
		}
	}
	return nil
}
