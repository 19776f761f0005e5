package emend

import (
	"runtime"
	"runtime/debug"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Change is one file before and after, for [Make].
type Change = draft.Change

// Make writes the patch for changes in the named dialect, with at least context lines around each change and as
// many more as every hunk needs to have exactly one place. Applying the patch to the old contents gives the new
// ones, byte for byte; what the dialect cannot say is refused, naming the file and the line.
func Make(changes []Change, dialectName string, context int) (string, error) {
	d, err := named(dialectName)
	if err != nil {
		return "", refuse(err)
	}
	p, err := draft.Between(d, changes, context)
	if err != nil {
		return "", refuse(err)
	}
	if len(p.Sections) == 0 {
		return "", nil
	}
	out, err := d.Print(p)
	if err != nil {
		return "", refuse(err)
	}
	return out, nil
}

// Convert reads a patch as o says and writes it in the dialect to. It also returns what lenient reading let pass.
// No file is looked at.
func Convert(text, to string, o Options) (out string, passed []string, err error) {
	opts := dialect.Options{Lenient: o.Lenient}
	from, err := choose(text, o.Dialect)
	if err != nil {
		return "", nil, refuse(err)
	}
	d, err := named(to)
	if err != nil {
		return "", nil, refuse(err)
	}
	parsed, err := from.Parse(text, opts)
	if err != nil {
		return "", nil, refuse(err)
	}
	if out, err = d.Print(parsed.Patch); err != nil {
		return "", nil, refuse(err)
	}
	return out, parsed.Passed, nil
}

func refuse(err error) error {
	return &Refusal{view: report.View{}, list: fail.All(err)}
}

// Build is which emend this is.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Version is the version that the binary was built as.
func Version() Build {
	b := Build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = s.Value
		}
	}
	return b
}
