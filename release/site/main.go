// Command site makes the documentation as static pages with a search:
//
//	go -C release run ./site -out ../dist/site
//
// It takes the Markdown of the repository as it is, adds a reference that the program itself prints, has VitePress make pages of it, and
// checks every link in them. VitePress and what it needs come from npm, in the versions of vitepress/package-lock.json.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := flag.NewFlagSet("site", flag.ContinueOnError)
	out := f.String("out", "dist/site", "the directory to write; it must not exist, or be empty")
	base := f.String("base", "/", "the path at which the pages are served")
	switch err := f.Parse(os.Args[1:]); {
	case err != nil || f.NArg() > 0:
		os.Exit(2)
	case !strings.HasPrefix(*base, "/") || !strings.HasSuffix(*base, "/"):
		fmt.Fprintln(os.Stderr, "site: -base begins and ends with a slash")
		os.Exit(2)
	}
	if err := run(ctx, *out, *base); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, base string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if names, err := os.ReadDir(out); err == nil && len(names) > 0 {
		return fmt.Errorf("%s is not empty; remove it, or name another directory with -out", out)
	}
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "emend-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	s := &site{root: strings.TrimSpace(root), work: work}
	for _, step := range []func(context.Context) error{s.stage, s.writeReference, s.writeSidebar} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := s.vitepress(ctx, out, base); err != nil {
		return err
	}
	return check(out, base, os.Stdout)
}

// site is one run of the command.
type site struct {
	root  string // of the repository
	work  string // where the pages are put together
	pages []page
}

// page is a Markdown file, by its path in the repository.
type page struct{ path, title string }

// vitepress has the pages made.
func (s *site) vitepress(ctx context.Context, out, base string) error {
	from := filepath.Join(s.root, "release", "site", "vitepress")
	if err := os.CopyFS(filepath.Join(s.work, ".vitepress"), os.DirFS(from)); err != nil {
		return err
	}
	icon, err := os.ReadFile(filepath.Join(s.root, "internal", "front", "web", "static", "icon.svg"))
	if err != nil {
		return err
	}
	if err := s.write(".vitepress/icon.svg", icon); err != nil {
		return err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := os.Rename(filepath.Join(s.work, ".vitepress", name), filepath.Join(s.work, name)); err != nil {
			return err
		}
	}
	if _, err := output(ctx, s.work, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	_, err = output(ctx, s.work, "node", "node_modules/vitepress/bin/vitepress.js", "build", "--base", base, "--outDir", out)
	return err
}

// output runs a program and returns what it printed. An error has all of it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w; install it first", err)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(append([]string{name}, args...), " "), err, out, errs.String())
	}
	return string(out), nil
}
