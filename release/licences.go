package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// licence holds the licence files of a module.
type licence struct {
	id   string // in SPDX's list
	text string // all its files
}

// licensed are the modules that some binary links, and Go itself under the path "std".
type licensed map[string]licence

// collectLicences finds the licence of each module that is linked. A module without one, or with one that it does not know, is an
// error: a person must look at it first.
func (r *release) collectLicences(ctx context.Context) error {
	dirs, err := r.moduleDirs(ctx)
	if err != nil {
		return err
	}
	r.licences = licensed{}
	for _, b := range r.built {
		for _, m := range linked(b.info) {
			if _, done := r.licences[m.Path]; done {
				continue
			}
			l, err := readLicence(dirs[m.Path])
			if err != nil {
				return fmt.Errorf("%s: %w", m.Path, err)
			}
			r.licences[m.Path] = l
		}
	}
	own, err := readLicence(r.root)
	if err != nil {
		return err
	}
	r.own = own
	return nil
}

// linked returns the modules in a binary, Go's library first.
func linked(info *debug.BuildInfo) []*debug.Module {
	out := []*debug.Module{{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out = append(out, m)
	}
	return out
}

// moduleDirs returns where the source of each module is.
func (r *release) moduleDirs(ctx context.Context) (map[string]string, error) {
	root, err := output(ctx, r.root, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if _, err := output(ctx, r.root, "go", "mod", "download"); err != nil {
		return nil, err
	}
	list, err := output(ctx, r.root, "go", "list", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	out := map[string]string{"std": root}
	for dec := json.NewDecoder(strings.NewReader(list)); ; {
		var m struct{ Path, Dir string }
		switch err := dec.Decode(&m); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		out[m.Path] = m.Dir
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// readLicence reads all licence files at the top of a module.
func readLicence(dir string) (licence, error) {
	var l licence
	names, err := os.ReadDir(dir)
	if err != nil {
		return l, err
	}
	for _, n := range names {
		if !licenceFile.MatchString(n.Name()) || !n.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, n.Name()))
		if err != nil {
			return l, err
		}
		if l.id == "" {
			l.id = identify(string(data))
		}
		l.text += strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")) + "\n\n"
	}
	if l.id == "" {
		return l, fmt.Errorf("no licence was recognized in %s", dir)
	}
	return l, nil
}

// identify returns the SPDX identifier of a licence text, or "".
func identify(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, known := range []struct{ id, has string }{
		{"Apache-2.0", "apache license version 2.0"},
		{"MPL-2.0", "mozilla public license version 2.0"},
		{"BSD-3-Clause", "may be used to endorse or promote products"},
		{"BSD-2-Clause", "redistributions in binary form must reproduce"},
		{"MIT", "permission is hereby granted, free of charge"},
		{"ISC", "permission to use, copy, modify, and/or distribute this software"},
	} {
		if strings.Contains(text, known.has) {
			return known.id
		}
	}
	return ""
}

// legal returns the licence files that go with a binary.
func (r *release) legal(b binary) map[string][]byte {
	var others bytes.Buffer
	fmt.Fprintf(&others, "emend is made with these modules. Each comes with the licence below its name.\n")
	mods := linked(b.info)
	slices.SortFunc(mods, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range mods {
		l := r.licences[m.Path]
		fmt.Fprintf(&others, "\n%s\n%s %s (%s)\n\n%s", strings.Repeat("-", 78), m.Path, m.Version, l.id, l.text)
	}
	return map[string][]byte{"LICENSE": []byte(r.own.text), "THIRD-PARTY-LICENSES": others.Bytes()}
}
