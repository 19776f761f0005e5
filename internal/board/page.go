package board

import (
	"maps"
	"os"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/vfs"
)

// page is the content of a page's file.
type page struct {
	Prefix  string `json:"prefix"` // path from the top of the tree to the root of the workspace that it shows
	Process int    `json:"process"`
	Means   string `json:"means"` // where a person sees it
}

// OpenPage records that a person sees what waits below prefix, until leave is called, the board is closed or the process ends.
// means says where; if it is not a page, it does not count for questions that only a page may answer.
func (b *Board) OpenPage(prefix, means string) (leave func(), err error) {
	name := newID("p") + pageKind
	f, err := b.post(name, page{prefix, os.Getpid(), means})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[name] = f
	return func() { b.closePage(name) }, nil
}

// closePage removes a page. If its file cannot be removed, it is at least no longer locked, and so no longer counts.
func (b *Board) closePage(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.pages[name]; f != nil {
		b.dir.Remove(name) //nolint:errcheck // see above
		f.Close()
		delete(b.pages, name)
	}
}

// HasPage reports whether a person sees q and may answer it.
func (b *Board) HasPage(q Question) (bool, error) {
	names, err := b.dir.Names()
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, pageKind) {
			continue
		}
		p, err := b.readPage(name)
		if err == nil && covers(p.Prefix, q.Prefix) && (!q.PageOnly || p.Means == api.AnsweredByPage) {
			return true, nil
		}
	}
	return false, nil
}

// readPage reads the file of a page that is open.
func (b *Board) readPage(name string) (p page, err error) {
	f, err := b.openLive(name)
	if err != nil {
		return p, err
	}
	defer f.Close()
	return p, readJSON(f, maxAnswer, &p)
}

// Close closes this process's pages and the directory. No call of Ask may be running.
func (b *Board) Close() error {
	for name := range b.openPages() {
		b.closePage(name)
	}
	return b.dir.Close()
}

func (b *Board) openPages() map[string]vfs.File {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.pages)
}
