package cli

import (
	"log/slog"
	"slices"

	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/front/wall"
)

// shut shuts the server in with its workspaces, where the system can; that it cannot is said, and no reason not to serve.
// Whatever else a server reads it has read before.
func (a *app) shut(spaces []mcp.Workspace, log *slog.Logger) {
	if a.env("EMEND_LANDLOCK") == "off" {
		log.Warn("not behind Landlock, since EMEND_LANDLOCK says off")
		return
	}
	var write, read []string
	for _, w := range spaces {
		mine, elsewhere, err := w.Reach()
		if err != nil {
			log.Warn("not behind Landlock", "workspace", w.Name, "error", err)
			return
		}
		write, read = append(write, mine...), append(read, elsewhere...)
	}
	write, read = distinct(write), distinct(read)
	switch up, err := wall.Up(write, read); {
	case err != nil:
		log.Warn("not behind Landlock", "error", err)
	case up:
		log.Info("behind Landlock", "version", wall.Version(), "writes_below", write)
	case wall.Expected:
		log.Warn("not behind Landlock: this kernel has none, or one before version 2; each path is judged all the same")
	}
}

func distinct(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
