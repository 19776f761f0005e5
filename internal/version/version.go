// Package version says which emend a binary is, from the information that the Go tool puts into it.
package version

import (
	"runtime"
	"runtime/debug"

	"github.com/emend-dev/emend/api"
)

// Read returns the version, the commit and the Go release of the binary. A build from a working tree has the version "devel".
func Read() api.Build {
	b := api.Build{Version: "devel", Go: runtime.Version()}
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
