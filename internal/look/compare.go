package look

import (
	"strings"

	"github.com/emend-dev/emend/internal/audit"
)

// change is what differs between two looks. old is nil for what is new, now for what is gone. A move has both, with other paths.
type change struct {
	old, now *file
}

func (c change) path() string {
	if c.old != nil {
		return c.old.path
	}
	return c.now.path
}

func (c change) moved() bool { return c.old != nil && c.now != nil && c.old.path != c.now.path }

// merge walks through two lists of files in the order of their paths.
func merge(was, now []*file, both func(was, now *file), gone, added func(*file)) {
	i, k := 0, 0
	for i < len(was) || k < len(now) {
		switch {
		case k == len(now) || i < len(was) && was[i].path < now[k].path:
			gone(was[i])
			i++
		case i == len(was) || now[k].path < was[i].path:
			added(now[k])
			k++
		default:
			both(was[i], now[k])
			i, k = i+1, k+1
		}
	}
}

// carry takes over what is known of the files that are as they were. It returns the others, whose content has to be read, and
// those that are as they were and were never read. What was given up is in neither.
func carry(was, now []*file) (changed, left []*file) {
	merge(was, now, func(was, now *file) {
		switch {
		case !now.mode.IsRegular():
		case !now.sameStat(was) || was.has(fresh) && was.sum != "":
			changed = append(changed, now)
		case was.has(unread):
			now.flags |= unread
		case was.sum == "":
			left = append(left, now)
		default:
			now.sum, now.blob, now.copy = was.sum, was.blob, was.copy
		}
	}, func(*file) {}, func(now *file) {
		if now.mode.IsRegular() {
			changed = append(changed, now)
		}
	})
	return changed, left
}

// compare returns what changed, in the order of paths. The contents of the files are known, as far as they can be read.
func compare(was, now []*file) (out []change) {
	wasOut, nowOut := unenteredDirs(was), unenteredDirs(now)
	merge(was, now, func(was, now *file) {
		switch {
		case was.mode.IsDir() && now.mode.IsDir() && was.mode == now.mode:
		case was.mode.Type() != now.mode.Type() && (!was.mayKeep() || !now.mayKeep()):
			out = append(out, change{old: was}, change{now: now})
		case was.mode.IsRegular() && now.mode.IsRegular() && was.sum == now.sum && was.mode == now.mode && (was.sum != "" || was.sameStat(now)):
			if was.sum != "" { // the same content, whatever was done to the file
				now.keepAs(was)
			}
		case was.mode != now.mode || was.link != now.link || was.sum != now.sum || now.mode.IsRegular():
			out = append(out, change{was, now})
		}
	}, func(was *file) {
		if !below(was.path, nowOut) {
			out = append(out, change{old: was})
		}
	}, func(now *file) {
		if !below(now.path, wasOut) {
			out = append(out, change{now: now})
		}
	})
	return joinMoves(out)
}

func unenteredDirs(all []*file) map[string]bool {
	out := map[string]bool{}
	for _, f := range all {
		if f.has(unentered) {
			out[f.path] = true
		}
	}
	return out
}

// below reports whether a directory above the path is one of dirs.
func below(path string, dirs map[string]bool) bool {
	for len(dirs) > 0 {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		if path = path[:i]; dirs[path] {
			return true
		}
	}
	return false
}

// joinMoves makes one change of a file that is gone from one path and is, with the same inode and content, at another.
func joinMoves(all []change) []change {
	gone := map[uint64]int{}
	for i, c := range all {
		if c.now == nil && c.old.mode.IsRegular() && c.old.sum != "" && !c.old.has(linked) {
			gone[c.old.ino] = i
		}
	}
	if len(gone) == 0 {
		return all
	}
	drop := map[int]bool{}
	for i := range all {
		c := &all[i]
		if c.old != nil || !c.now.mode.IsRegular() {
			continue
		}
		at, ok := gone[c.now.ino]
		if !ok || drop[at] || all[at].old.sum != c.now.sum || all[at].old.mode != c.now.mode {
			continue
		}
		c.old = all[at].old
		c.now.keepAs(c.old)
		drop[at] = true
	}
	out := all[:0]
	for i, c := range all {
		if !drop[i] {
			out = append(out, c)
		}
	}
	return out
}

// ident returns what a record says of a file.
func (f *file) ident() *audit.Ident {
	i := &audit.Ident{Ino: f.ino, Size: f.size, Mode: f.mode, Sum: hexOf(f.sum), Link: f.link != ""}
	if i.Link {
		i.Sum = hexOf(sumOf(f.link))
	}
	return i
}

// keepAs says that what is kept of was is what f has.
func (f *file) keepAs(was *file) {
	f.copy = was.copy
	if f.blob == "" {
		f.blob = was.blob
	}
}
