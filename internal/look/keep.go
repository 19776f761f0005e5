package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// Bounds of the copies in the store. What git has needs no copy.
const (
	maxCopies    = 20_000
	maxCopyBytes = 256 << 20
	maxOneCopy   = 64 << 20
	// A part of the files and bytes is for files that changed since the first look: what is there and never changes must not use up
	// all room, and leave none for what an agent works at.
	reserved = 4 // a quarter
)

const copiesName = "copies"

func copyName(n uint64) string { return strconv.FormatUint(n, 10) }

// keeper makes the copies that a later undo needs.
type keeper struct {
	reader
	ctx    context.Context
	dir    vfs.Dir // of the copies
	next   uint64
	have   copied
	failed map[string]*api.NotKept // by the directory at the top, or the file there
}

// keepAll makes sure that the content of every file can be had again, as far as the bounds allow. files are those of the directories
// that are not settled, next is the number of the next copy. It returns the number of the copy after, and what could not be kept,
// also because ctx ended.
func keepAll(ctx context.Context, g *guard.Guard, dir vfs.Dir, t *tree, files []*file, next uint64) (uint64, []api.NotKept) {
	k := &keeper{reader: reader{guard: g}, ctx: ctx, dir: dir, next: next, have: t.copies(), failed: map[string]*api.NotKept{}}
	defer k.close()
	for _, f := range files {
		switch {
		case f.blob != "":
			f.copy = 0 // git has it by now
		case f.copy != 0:
			k.have.add(copied{1, f.size})
		}
	}
	for _, f := range files {
		if f.mode.IsRegular() && f.copy == 0 && f.blob == "" {
			k.keep(f)
		}
	}
	out := make([]api.NotKept, 0, len(k.failed))
	for _, n := range k.failed {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b api.NotKept) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path)) })
	return k.next, out
}

func (k *keeper) keep(f *file) {
	maxFiles, maxBytes := maxCopies, int64(maxCopyBytes)
	if !f.changed {
		maxFiles, maxBytes = maxFiles-maxFiles/reserved, maxBytes-maxBytes/reserved
	}
	switch {
	case k.ctx.Err() != nil:
		k.fail(f, "there was no time for it yet")
	case f.sum == "":
		k.fail(f, "it cannot be read")
	case f.size > maxOneCopy:
		k.fail(f, fmt.Sprintf("it is larger than %d MiB", maxOneCopy>>20))
	case k.have.files >= maxFiles:
		k.fail(f, fmt.Sprintf("%d files are copied already", maxFiles))
	case k.have.bytes+f.size > maxBytes:
		k.fail(f, fmt.Sprintf("%d MiB are copied already", maxBytes>>20))
	default:
		k.next++
		err := k.copyTo(f, k.dir, copyName(k.next))
		if errors.Is(err, fs.ErrExist) { // of a look that was killed before it could write its index
			if err = k.dir.Remove(copyName(k.next)); err == nil {
				err = k.copyTo(f, k.dir, copyName(k.next))
			}
		}
		if errors.Is(err, errOtherContent) || errors.Is(err, fs.ErrNotExist) {
			f.flags |= fresh // somebody is at it
			k.fail(f, "it was written to meanwhile")
			return
		} else if err != nil {
			k.fail(f, "it cannot be copied")
			return
		}
		f.copy = k.next
		k.have.add(copied{1, f.size})
	}
}

// fail counts a file that is not kept with the directory at the top that has it.
func (k *keeper) fail(f *file, why string) {
	top, _, deeper := strings.Cut(f.path, "/")
	if deeper {
		top += "/"
	}
	n := k.failed[top]
	if n == nil {
		n = &api.NotKept{Path: top, Why: why}
		k.failed[top] = n
	}
	n.Files, n.Bytes = n.Files+1, n.Bytes+f.size
}

// dropCopies removes the copies that no file of the index has.
func dropCopies(dir vfs.Dir, x *index) error {
	names, err := dir.Names()
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for i := range x.dirs {
		if d := &x.dirs[i]; d.copies.files > 0 {
			d.each(func(f *file) bool { kept[copyName(f.copy)] = true; return true })
		}
	}
	for _, name := range names {
		if !kept[name] {
			err = errors.Join(err, dir.Remove(name))
		}
	}
	return err
}

func timeOf(ns int64) time.Time { return time.Unix(0, ns) }
