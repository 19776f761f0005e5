package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // registers a format
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	homepage   = "https://" + module
	summary    = "Applies what coding agents write to files, entirely or not at all, on record and reversible"
	maintainer = "emend-dev <emend-dev@users.noreply.github.com>"
)

// packageFormats are the formats of Linux distributions.
var packageFormats = []string{"deb", "rpm", "apk"}

// writePackages writes a package of each format for each Linux target.
func (r *release) writePackages(context.Context) error {
	for _, b := range r.built {
		if b.os != "linux" {
			continue
		}
		for _, format := range packageFormats {
			if err := r.writePackage(b, format); err != nil {
				return fmt.Errorf("%s for %s: %w", format, b.target, err)
			}
		}
	}
	return nil
}

func (r *release) writePackage(b binary, format string) error {
	contents, err := r.installed(b)
	if err != nil {
		return err
	}
	p, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	version, pre, _ := strings.Cut(r.version, "-")
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "emend", Arch: b.arch, Platform: "linux", Version: version, Prerelease: pre, VersionSchema: "semver", Release: "1",
		Section: "devel", Priority: "optional", Maintainer: maintainer, Vendor: "emend", Homepage: homepage, License: r.own.id,
		Description: summary, MTime: r.commit.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{Summary: summary, BuildHost: "localhost", Group: "Development/Tools"}},
	})
	var out bytes.Buffer
	if err := p.Package(info, &out); err != nil {
		return err
	}
	return r.write(p.ConventionalFileName(info), out.Bytes(), 0o644)
}

// installed returns the files that a package installs. nfpm reads them from the disk.
func (r *release) installed(b binary) (files.Contents, error) {
	pages := map[string][]byte{
		"/usr/share/bash-completion/completions/emend":    r.pages["completions/emend.bash"],
		"/usr/share/zsh/site-functions/_emend":            r.pages["completions/_emend"],
		"/usr/share/fish/vendor_completions.d/emend.fish": r.pages["completions/emend.fish"],
		"/usr/share/doc/emend/copyright":                  []byte(r.own.text),
		"/usr/share/doc/emend/THIRD-PARTY-LICENSES":       r.legal(b)["THIRD-PARTY-LICENSES"],
	}
	for name, data := range r.manPages() {
		packed, err := gzipped(data)
		if err != nil {
			return nil, err
		}
		pages["/usr/share/man/man1/"+name+".gz"] = packed
	}
	out := files.Contents{r.content("/usr/bin/emend", b.path, 0o755)}
	for _, to := range slices.Sorted(maps.Keys(pages)) {
		from := filepath.Join(r.work, b.os+"-"+b.arch, "installed", filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(from, pages[to], 0o644); err != nil {
			return nil, err
		}
		out = append(out, r.content(to, from, 0o644))
	}
	return out, nil
}

func (r *release) content(to, from string, mode os.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.commit.time, Owner: "root", Group: "root"}}
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
