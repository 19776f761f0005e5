// Package version says which emend a binary is, from the information that the Go tool puts into it.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/emend-dev/emend/api"
)

// release and commit are the version of a released binary and what it was made of. The linker sets them.
var release, commit string

// Read returns the version, the commit and the Go release of the binary. A build of a module has the version of the module, one from
// a working tree that Go gives no version is "devel".
func Read() api.Build {
	b := api.Build{Version: cmp.Or(release, "devel"), Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; release == "" && v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = cmp.Or(commit, s.Value)
		}
	}
	return b
}
