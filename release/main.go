// Command release makes everything that is published of a version of emend, in one directory:
//
//	go -C release run . -version 1.2.3 -out dist
//	go -C release run . -version 1.2.3 -out dist -targets linux/amd64,windows/amd64
//	go -C release run . -changelog > CHANGELOG.md
//
// It builds the binaries, and packs them for each way to install: archives, npm, deb, rpm and apk packages, bundles and plugins of
// agents' programs, the extension for VS Code, a formula, manifests and an install script. SHA256SUMS names the sums of all.
//
// Two runs on the same commit with the same Go write the same bytes: all times are that of the commit, and nothing of the machine is
// in them. A run signs nothing and sends nothing anywhere.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parseFlags(os.Args[1:])
	if err == nil {
		err = run(ctx, o)
	}
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	version string
	out     string
	targets []target
	dirty   bool
	quiet   bool
	// changelog: print the changelog, and make nothing.
	changelog bool
}

// semver is a version as npm, MCPB and the package managers all read it.
var semver = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

func parseFlags(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	f.StringVar(&o.version, "version", "", "the version, as 1.2.3 or 1.2.3-rc.1")
	f.StringVar(&o.out, "out", "dist", "the directory to write; it must not exist, or be empty")
	only := f.String("targets", "", "build for these only, as linux/amd64,windows/arm64 (default: all)")
	f.BoolVar(&o.dirty, "dirty", false, "also if files are not as they were committed; the binaries say so")
	f.BoolVar(&o.quiet, "q", false, "do not print what is being made")
	f.BoolVar(&o.changelog, "changelog", false, "print the changelog, and make nothing")
	if err := f.Parse(args); err != nil {
		return o, flag.ErrHelp
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is one word too many", f.Arg(0))
	}
	if o.changelog {
		return o, nil
	}
	if o.version = strings.TrimPrefix(o.version, "v"); !semver.MatchString(o.version) {
		return o, fmt.Errorf("-version is %q; a version looks like 1.2.3 or 1.2.3-rc.1", o.version)
	}
	var err error
	o.targets, err = pickTargets(*only)
	return o, err
}

// release holds one run of the command.
type release struct {
	options
	root     string // of emend's module
	commit   commit
	work     string            // a directory for what is not published
	pages    map[string][]byte // man pages and completions, by their path in an archive
	built    []binary
	own      licence
	licences licensed
}

func run(ctx context.Context, o options) error {
	if o.changelog {
		root, err := sourceDir(ctx)
		if err != nil {
			return err
		}
		return printChangelog(ctx, os.Stdout, root)
	}
	r := &release{options: o}
	if err := emptyDir(o.out); err != nil {
		return err
	}
	var err error
	if r.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "emend-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"the source", r.findSource},
		{"binaries", r.build},
		{"man pages and completions", r.makePages},
		{"licences", r.collectLicences},
		{"bills of materials", r.writeBills},
		{"archives", r.writeArchives},
		{"deb, rpm and apk packages", r.writePackages},
		{"npm packages", r.writeNPM},
		{"bundles and plugins", r.writePlugins},
		{"the extension for VS Code", r.writeExtension},
		{"scripts and manifests", r.writeManifests},
		{"notes", r.writeNotes},
		{"sums", r.writeSums},
	} {
		if !o.quiet {
			fmt.Fprintln(os.Stderr, step.what)
		}
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// emptyDir makes a directory, or checks that it is empty: what an earlier run left must not get into the sums of this one.
func emptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := os.ReadDir(dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s is not empty; remove it, or name another directory with -out", dir)
	}
	return err
}

// write writes a file of the release. Its path may have directories.
func (r *release) write(name string, data []byte, mode os.FileMode) error {
	path := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}
