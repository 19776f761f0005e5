package plan

import (
	"context"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// Source gives a plan the files that it asks for. The engine's source reads a disk through the guard; Memory is a tree
// of strings.
type Source interface {
	// Look says what stands at p, as a caller wrote it, and whether policy lets a patch change it. Every error
	// is a *fail.Error.
	Look(ctx context.Context, p string, absolute bool) (File, error)
	// Names lists the names in directory p that may be read; none if p is no such directory.
	Names(ctx context.Context, p string) []string
	// LeadsTo says what the link at p leads to, through all links: Missing for nothing.
	LeadsTo(ctx context.Context, p string, absolute bool) (Kind, error)
	// Load reads the whole content of a file that Look found.
	Load(ctx context.Context, f File) (data, sha256 string, err error)
	// Versions yields versions of a file on record that may be read, the newest first: those with a sha256, or with "" the last
	// few that differ from the file as it is now.
	Versions(ctx context.Context, f File, sha256 string) iter.Seq[Version]
}

// Version is a content that a file had.
type Version struct{ Data, Sha256 string }

// File describes what a path leads to.
type File struct {
	Rel       string // relative to the workspace, cleaned
	Place     any    // comparable; equal for two spellings of one path
	Inode     any    // comparable; equal for two names of one file, nil if not known
	Kind      Kind
	HasParent bool
	Target    string // what a link says
	Size      int64
	Exec      bool // somebody may execute it
	Handle    any  // the source's own
}

// Kind tells apart what a path leads to.
type Kind uint8

// The kinds of files that a plan tells apart.
const (
	Missing Kind = iota
	Regular
	Directory
	Link
	Special
)

// Memory is a Source that holds a tree in memory: slash-separated paths to contents.
type Memory map[string]string

// Look implements Source.
func (m Memory) Look(_ context.Context, p string, _ bool) (File, error) {
	rel := path.Clean(p)
	f := File{Rel: rel, Place: rel, HasParent: path.Dir(rel) == "."}
	for dir := path.Dir(rel); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, ok := m[dir]; ok {
			return f, &fail.Error{Kind: fail.NotFound, Path: p, Msg: fail.Quote(dir) + " is not a directory",
				Hint: "Choose a path whose parents are directories."}
		}
	}
	for name := range m {
		f.HasParent = f.HasParent || strings.HasPrefix(name, path.Dir(rel)+"/")
		if strings.HasPrefix(name, rel+"/") {
			f.Kind = Directory
		}
	}
	if data, ok := m[rel]; ok {
		f.Kind, f.Size = Regular, int64(len(data))
	}
	return f, nil
}

// Names implements Source.
func (m Memory) Names(_ context.Context, p string) []string {
	names := map[string]bool{}
	for name := range m {
		if rest, ok := strings.CutPrefix("/"+name, path.Join("/", p, "/")); ok && (p == "." || strings.HasPrefix(rest, "/")) {
			first, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
			names[first] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// LeadsTo implements Source. The tree has no links.
func (m Memory) LeadsTo(context.Context, string, bool) (Kind, error) { return Missing, nil }

// Load implements Source.
func (m Memory) Load(_ context.Context, f File) (data, sum string, err error) {
	data = m[f.Rel]
	return data, text.Sum(data), nil
}

// Versions implements Source. The tree has no record of the past.
func (m Memory) Versions(context.Context, File, string) iter.Seq[Version] {
	return func(func(Version) bool) {}
}
