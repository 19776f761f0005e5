package wait

import (
	"os"
	"strings"
)

// page is what a page says of itself.
type page struct {
	Prefix  string `json:"prefix"` // of the workspace that it shows, from the top of the tree
	Process int    `json:"process"`
}

// Attend says, until leave is called, the board is closed or the process ends, that somebody looks at what waits below prefix.
func (b *Board) Attend(prefix string) (leave func(), err error) {
	name := newID("p") + pageKind
	f, err := b.post(name, page{prefix, os.Getpid()})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[name] = f
	return func() { b.leave(name) }, nil
}

// leave takes a page away. Where the file stays, whoever meets it finds that nobody has it locked.
func (b *Board) leave(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.pages[name]; f != nil {
		b.dir.Remove(name) //nolint:errcheck // see above
		f.Close()
		delete(b.pages, name)
	}
}

// Attended reports whether somebody looks at what waits below prefix.
func (b *Board) Attended(prefix string) (bool, error) {
	names, err := b.dir.Names()
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, pageKind) {
			continue
		}
		p, err := b.page(name)
		if err == nil && covers(p.Prefix, prefix) {
			return true, nil
		}
	}
	return false, nil
}

// page is a page that is open.
func (b *Board) page(name string) (p page, err error) {
	f, err := b.held(name)
	if err != nil {
		return p, err
	}
	defer f.Close()
	return p, parse(f, maxAnswer, &p)
}
