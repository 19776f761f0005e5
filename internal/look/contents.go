package look

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"path"
	"runtime"
	"sync"

	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/gitobjects"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/vfs"
)

// maxRead limits the files that are read. Larger ones are told apart by their stat data only.
const maxRead = 4 << 30

// repository is the git repository at the top of the tree; nil if there is none that can be read.
type repository struct {
	repo *gitobjects.Repo
	once sync.Once
	list *gitobjects.Index // nil if it cannot be read
}

func openRepository(dir string) *repository {
	repo, err := gitobjects.Open(dir)
	if err != nil {
		return nil
	}
	return &repository{repo: repo}
}

// blobOf returns the name that the index has for a path, "" if it has none.
func (g *repository) blobOf(path string) string {
	if g == nil {
		return ""
	}
	g.once.Do(func() { g.list, _ = g.repo.Index() })
	if g.list == nil {
		return ""
	}
	if e := g.list.Find(path); e != nil {
		return string(e.ID)
	}
	return ""
}

func (g *repository) close() {
	if g != nil {
		g.repo.Close()
	}
}

// readAllOf reads the files, with all processors, and notes their hashes, and whether the repository has their contents. A file
// that cannot be read keeps none, nor does one for which ctx ends too early. A large one is given up then: no copy would be made of it, and
// each look would begin to read it anew and have no time either.
func readAllOf(ctx context.Context, g *guard.Guard, repo *repository, files []*file) error {
	var all panics.Group
	tell := caller.Progress(ctx)
	next, mu, done := 0, sync.Mutex{}, 0
	const piece = 32
	for range min(runtime.GOMAXPROCS(0), len(files)/piece+1) {
		all.Go(func() {
			r := reader{guard: g}
			defer r.close()
			for ctx.Err() == nil {
				mu.Lock()
				from := next
				next = min(next+piece, len(files))
				to := next
				if done += to - from; tell != nil && from < to {
					tell(done, len(files), files[from].path)
				}
				mu.Unlock()
				if from == to {
					return
				}
				for _, f := range files[from:to] {
					r.read(ctx, f, repo)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		for _, f := range files {
			if f.sum == "" && f.size > maxOneCopy {
				f.flags |= unread
			}
		}
		return caller.Cancelled(ctx)
	}
	return nil
}

// reader opens files, and holds the directory of the last one open.
type reader struct {
	guard *guard.Guard
	dir   vfs.Dir
	path  string
	buf   []byte
}

func (r *reader) close() {
	if r.dir != nil {
		r.dir.Close()
	}
}

func (r *reader) open(p string) (vfs.File, error) {
	dir, err := r.parent(p)
	if err != nil {
		return nil, err
	}
	return dir.Open(path.Base(p))
}

// parent opens the directory that has p.
func (r *reader) parent(p string) (vfs.Dir, error) {
	if parent := path.Dir(p); r.dir == nil || r.path != parent {
		r.close()
		var err error
		if r.dir, err = r.guard.OpenDir(parent); err != nil {
			r.dir = nil
			return nil, err
		}
		r.path = parent
	}
	return r.dir, nil
}

// read hashes a file.
func (r *reader) read(ctx context.Context, f *file, repo *repository) {
	if f.size > maxRead || ctx.Err() != nil {
		return
	}
	in, err := r.open(f.path)
	if err != nil {
		return
	}
	defer in.Close()
	sum := sha256.New()
	to, blob, want := io.Writer(sum), hash.Hash(nil), ""
	if f.size <= gitobjects.MaxBlob {
		want = repo.blobOf(f.path)
	}
	if want != "" {
		blob = repo.repo.NewBlobHash(f.size)
		to = io.MultiWriter(sum, blob)
	}
	n, err := r.copy(to, readUntil{ctx, in})
	if ctx.Err() != nil && err != nil {
		return
	}
	if is, serr := in.Stat(); err != nil || serr != nil || is.ID.Ino != f.ino || n != f.size || is.ChangeTime.UnixNano() != f.ctime {
		f.flags |= fresh // somebody writes to it: what was read holds for now, and the next look reads it again
	}
	if err != nil {
		return
	}
	f.sum = string(sum.Sum(nil))
	if want != "" && string(blob.Sum(nil)) == want {
		f.blob = want
	}
}

func (r *reader) copy(to io.Writer, in io.Reader) (int64, error) {
	if r.buf == nil {
		r.buf = make([]byte, 128<<10)
	}
	return io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{in}, r.buf)
}

// readUntil reads until ctx ends.
type readUntil struct {
	ctx context.Context
	io.Reader
}

func (r readUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func sumOf(text string) string {
	h := sha256.Sum256([]byte(text))
	return string(h[:])
}

func hexOf(sum string) string { return hex.EncodeToString([]byte(sum)) }

var errOtherContent = errors.New("the content is another one by now")

// copyTo copies the file at the path of f into dir, with its attributes and times. The copy has the content that f has, or the
// call fails and there is none.
func (r *reader) copyTo(f *file, dir vfs.Dir, name string) error {
	in, err := r.open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	return r.make(dir, name, f, func(to vfs.File) (string, error) {
		if !f.has(fresh) && vfs.Reflink(to, in) == nil {
			return f.sumIfStill(in)
		}
		return write(to, func(to io.Writer) error { _, err := r.copy(to, in); return err })
	}, in)
}

// sumIfStill returns the hash of a file that was opened, if it is the one that was seen, and not written to since.
func (f *file) sumIfStill(in vfs.File) (string, error) {
	is, err := in.Stat()
	if err != nil || is.ID.Ino != f.ino || is.Size != f.size || is.ChangeTime.UnixNano() != f.ctime {
		return "", cmp.Or(err, errOtherContent)
	}
	return f.sum, nil
}

// write writes to a file and returns the hash of what it wrote.
func write(to io.Writer, write func(io.Writer) error) (sum string, err error) {
	h := sha256.New()
	err = write(io.MultiWriter(to, h))
	return string(h.Sum(nil)), err
}

// make makes a file in dir. fill fills it and returns the hash of its content, which must be that of f. The file gets the attributes
// of like, if there is one, and the permissions and times of f.
func (r *reader) make(dir vfs.Dir, name string, f *file, fill func(vfs.File) (sum string, err error), like vfs.File) (err error) {
	out, err := dir.Create(name, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			dir.Remove(name)
		}
	}()
	sum, err := fill(out)
	if err != nil {
		return err
	}
	if sum != f.sum {
		return errOtherContent
	}
	if like != nil {
		if _, err := out.CopyAttributes(like); err != nil {
			return err
		}
	}
	is, err := out.Stat()
	if err != nil {
		return err
	}
	if perm := f.mode.Perm(); is.Mode.Perm() != perm {
		if err := out.Give(is.UID, is.GID, perm); err != nil {
			return err
		}
	}
	return out.Touch(timeOf(f.mtime))
}

// keepFromGit puts the content that the repository has of f into a slot. If the file is still there, the slot gets its attributes.
func (r *reader) keepFromGit(repo *repository, f *file, slots vfs.Dir, slot string) error {
	if repo == nil {
		return fs.ErrNotExist
	}
	b, err := repo.repo.Blob(gitobjects.ID(f.blob), f.size)
	if err != nil {
		return err
	}
	like, _ := r.open(f.path)
	if like != nil {
		defer like.Close()
	}
	return r.make(slots, slot, f, func(to vfs.File) (string, error) {
		return write(to, func(to io.Writer) error { _, err := to.Write(b); return err })
	}, like)
}

// text reads a file, which must have the content that was seen.
func (r *reader) text(f *file) (string, error) {
	in, err := r.open(f.path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	return readText(in, f)
}

func readText(in io.Reader, f *file) (string, error) {
	b, err := io.ReadAll(io.LimitReader(in, f.size+1))
	if err == nil && sumOf(string(b)) != f.sum {
		err = errOtherContent
	}
	return string(b), err
}

// textBefore returns the content that a file had at the last look.
func (l *look) textBefore(copies vfs.Dir, f *file) (string, error) {
	switch {
	case f.copy != 0:
		in, err := copies.Open(copyName(f.copy))
		if err != nil {
			return "", err
		}
		defer in.Close()
		return readText(in, f)
	case f.blob != "" && l.repo != nil:
		b, err := l.repo.repo.Blob(gitobjects.ID(f.blob), f.size)
		if err == nil && sumOf(string(b)) != f.sum {
			err = errOtherContent
		}
		return string(b), err
	}
	return "", fs.ErrNotExist
}
