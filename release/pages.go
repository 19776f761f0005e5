package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// makePages has emend write its man pages and completions.
func (r *release) makePages(ctx context.Context) error {
	b, err := r.host(ctx)
	if err != nil {
		return err
	}
	r.pages = map[string][]byte{}
	dir := filepath.Join(r.work, "man")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if _, err := r.emend(ctx, b, "man", dir); err != nil {
		return err
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if r.pages["man/"+n.Name()], err = os.ReadFile(filepath.Join(dir, n.Name())); err != nil {
			return err
		}
	}
	for shell, name := range map[string]string{"bash": "emend.bash", "zsh": "_emend", "fish": "emend.fish", "powershell": "emend.ps1"} {
		if r.pages["completions/"+name], err = r.emend(ctx, b, "completion", shell); err != nil {
			return err
		}
	}
	return nil
}

// emend runs a binary in an empty directory, with a home of its own.
func (r *release) emend(ctx context.Context, b binary, args ...string) ([]byte, error) {
	home := filepath.Join(r.work, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.path, args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")}
	return runCommand(cmd)
}

// manPages returns the man pages, by name.
func (r *release) manPages() map[string][]byte {
	out := map[string][]byte{}
	for name, data := range r.pages {
		if page, ok := strings.CutPrefix(name, "man/"); ok {
			out[page] = data
		}
	}
	return out
}
