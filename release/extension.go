package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
)

// writeExtension writes the extension for VS Code.
func (r *release) writeExtension(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "run", "./editors/vscode", "-version", r.version, "-time", strconv.FormatInt(r.commit.time.Unix(), 10),
		"-out", filepath.Join(r.out, "emend-"+r.version+".vsix"))
	cmd.Dir = r.root
	_, err := runCommand(cmd)
	return err
}
