package change

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// pathsNoteKey is for what a caller should know of how the paths of a patch were read.
type pathsNoteKey struct{}

// withPaths returns the context in which the paths of a patch are relative to the directory that the options name. If the options leave
// it open, the files decide: see [chooseRoot].
func withPaths(ctx context.Context, w *workspace.Workspace, p *Patch) (context.Context, error) {
	ctx, err := w.WithBase(ctx, p.Base)
	here := w.BaseDir(ctx)
	if err != nil || p.Paths == api.PathsFromBase || here == "" || here == "." {
		return ctx, err
	}
	atRoot := w.WithRootAsBase(ctx)
	if p.Paths == api.PathsFromRoot {
		return atRoot, nil
	}
	o := p.PatchOptions
	view, d, err := parse(w, p.Text, &o)
	if err != nil || !d.Rules(parseOptions(o)).RootPaths {
		return ctx, nil // planning refuses what cannot be read
	}
	root, err := chooseRoot(ctx, w, here, view.Patch.Sections)
	if err != nil || !root {
		return ctx, err
	}
	return context.WithValue(atRoot, pathsNoteKey{}, "the paths were read from the root of the workspace, where the files of the patch are, and not from "+report.Escape(here)), nil
}

// notePaths adds to a view what [withPaths] decided.
func notePaths(ctx context.Context, v *report.View) {
	if note, ok := ctx.Value(pathsNoteKey{}).(string); ok {
		v.Passed = append(v.Passed, note)
	}
}

// chooseRoot reports whether the paths of sections are relative to the root, and not to the directory here. They are if every file that the
// sections change is there only so. If all are there in both ways, every directory of a new file must be there in one way only. Nothing
// else decides: a patch that has files in both ways is refused.
func chooseRoot(ctx context.Context, w *workspace.Workspace, here string, sections []patch.Section) (bool, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	src.Asked = new(guard.AskedPaths) // looking for the paths asks nobody
	fromHere, fromRoot := findPaths(ctx, src, here, sections), findPaths(ctx, src, ".", sections)
	switch {
	case fromHere.files != fromRoot.files:
		return fromRoot.files, nil
	case !fromHere.files:
		return false, nil // planning says which file is missing
	case fromHere.dirs != fromRoot.dirs:
		return fromRoot.dirs, nil
	}
	p := sections[0].Path
	if sections[0].Op != patch.Add {
		return false, ambiguousPaths(p, fmt.Sprintf("the paths may be from the root of the workspace or from %s: there is %s and %s",
			fail.Quote(here), fail.Quote(p), fail.Quote(path.Join(here, p))))
	}
	return false, ambiguousPaths(p, fmt.Sprintf("the paths may be from the root of the workspace or from %s: the new file would be %s or %s",
		fail.Quote(here), fail.Quote(p), fail.Quote(path.Join(here, p))))
}

func ambiguousPaths(p, msg string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: p, Msg: msg,
		Hint: "Say which is meant‹paths:: {} root, or {} here›. Nothing was changed."}
}

// pathsThere says what of a patch is there if its paths are relative to one directory.
type pathsThere struct {
	files bool // every file that it changes
	dirs  bool // the directory of every file that it makes
}

func findPaths(ctx context.Context, src *source.Reader, base string, sections []patch.Section) pathsThere {
	src.Base = base
	out, made := pathsThere{true, true}, map[string]bool{}
	for i := range sections {
		s := &sections[i]
		f, err := src.Look(ctx, s.Path, false)
		known := err == nil || errors.Is(err, fail.PermissionDenied)
		there := known && (err != nil || f.Kind != plan.Missing)
		if s.Op == patch.Add {
			out.dirs = out.dirs && known && (there || f.HasParent)
		} else {
			out.files = out.files && (there || made[path.Clean(s.Path)])
		}
		made[path.Clean(s.Path)], made[path.Clean(s.To)] = s.Op == patch.Add, true
	}
	return out
}
