package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/commit"
)

func Weaker(h *api.Health, format string, args ...any) {
	h.Weaker = append(h.Weaker, fmt.Sprintf(format, args...))
}

func Filesystem(h *api.Health, is commit.FS, unsafe bool) {
	if is.Network {
		Weaker(h, "%s is a network file system: other machines change it unseen, and locks and renames may not be what they are on a disk", is.Type)
		if !unsafe {
			h.Problems = append(h.Problems, "writing needs --unsafe-fs here")
		}
	}
	if !is.Journal {
		Weaker(h, "%s has no journal that is known to keep a rename whole: second links are made so that no content is lost in a power cut, and the tree is mixed after one until the next emend", is.Type)
	}
}

// System says what the operating system cannot do.
func System(h *api.Health) {
	switch runtime.GOOS {
	case "linux":
	case "darwin":
		Weaker(h, "on macOS a program that opens a file for writing is not noticed (no leases), paths are resolved name by name, and power cuts were not tried; crash tests run on Linux only")
	default:
		h.Problems = append(h.Problems, "on "+runtime.GOOS+" this version reads, plans and previews; it writes on Linux and macOS only")
	}
}

// WouldBe speaks of a store that is still to be made.
func WouldBe(h *api.Health, p commit.Place) {
	if p.Dir == "" {
		return
	}
	err := p.Writable()
	if err == nil && occupied(p.Dir) {
		err = errors.New("something is there that is no store")
	}
	if err != nil {
		h.Problems = append(h.Problems, fmt.Sprintf("the store cannot be made at %s: %v", p.Dir, err))
	}
}

// occupied reports whether something stands at dir, other than an empty directory.
func occupied(dir string) bool {
	names, err := os.ReadDir(dir)
	return len(names) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

func Inside(h *api.Health, s *commit.Store) error {
	head := s.Head()
	h.Log = &head
	var err error
	if h.Locked, err = s.Holder(); err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	r, err := s.Pending()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	if r != nil {
		h.Pending = r.Tx
		h.Problems = append(h.Problems, "the transaction "+r.Tx+" is pending: run emend recover")
	}
	can, err := s.Probe()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
		return nil
	}
	h.Abilities = &can
	abilities(h, can)
	usage, err := s.Usage()
	if err != nil {
		return err
	}
	h.History = &api.Usage{Files: usage.Files, Bytes: usage.Bytes}
	h.Orphans, err = s.Orphans()
	return err
}

func abilities(h *api.Health, can commit.Abilities) {
	if !can.Exchange {
		Weaker(h, "this file system cannot exchange two names: a save in the instant between the last look and the replacing is lost from its place")
	}
	if !can.NoReplace {
		Weaker(h, "this file system cannot rename without replacing: a new file has two names for an instant")
	}
	if !can.Lease && runtime.GOOS == "linux" {
		Weaker(h, "there are no leases here: a program that has a file open for writing is not noticed, and what it writes after the commit is found in the history")
	}
	if !can.Lock {
		h.Problems = append(h.Problems, "the lock cannot be taken: another process has it, or the file system has no locks")
	}
}

// Target opens the store that there is and says where it is to go.
func (k *Keeper) Target() (commit.Place, error) {
	if _, err := k.Find(); err != nil {
		return commit.Place{}, err
	}
	if k.Named != "" && k.Store == nil {
		target := k.Place
		k.Named = ""
		_, err := k.Find()
		target.Top = k.Place.Top
		return target, err
	}
	return commit.Preferred(k.Place.Top)
}

// Existing is dir, or the nearest directory above it that is there.
func Existing(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
