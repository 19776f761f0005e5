package modpairs

import (
	"path"
	"strings"
)

// built tells which files of a version were generated from its other files. It uses only names: a wrong guess costs the corpus
// a file, or adds one that people do not edit.
type built struct {
	published bool            // an npm package; Go modules have only sources
	libIsMade bool            // lib/ was compiled from src/ or packages/
	sources   map[string]bool // files below src/, without src/ and extension
}

// outputs are directories that build tools write to.
var outputs = map[string]bool{"dist": true, "build": true, "build-module": true, "build-style": true,
	"umd": true, "esm": true, "cjs": true, "es": true, "node_modules": true, "vendor": true, "_vendor": true}

// scripts are the extensions that are compiled to JavaScript.
var scripts = map[string]bool{".js": true, ".jsx": true, ".ts": true, ".tsx": true, ".vue": true}

// builtOf reads the names of the files of t.
func builtOf(t Tree) (built, error) {
	names, err := sizes(t.Dir)
	b := built{published: t.published(), sources: map[string]bool{}}
	for name := range names {
		top, rest, _ := strings.Cut(name, "/")
		if top == "src" {
			b.sources[stem(rest)] = true
		}
		if (top == "src" || top == "packages") && scripts[path.Ext(name)] {
			b.libIsMade = true
		}
	}
	return b, err
}

// made reports whether a program generated the file with this name.
func (b built) made(name string) bool {
	base := path.Base(name)
	if lock(base) || strings.Contains(base, ".min.") || strings.Contains(base, "generated") || path.Ext(base) == ".map" {
		return true
	}
	return b.published && (b.output(name) || b.double(name))
}

// lock reports whether a package manager writes files with this name.
func lock(base string) bool {
	switch base {
	case "go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml":
		return true
	}
	return path.Ext(base) == ".lock"
}

// output reports whether name is below a directory that a build tool writes to.
func (b built) output(name string) bool {
	dirs := strings.Split(path.Dir(name), "/")
	for _, d := range dirs {
		if outputs[d] {
			return true
		}
	}
	return b.libIsMade && dirs[0] == "lib"
}

// double reports whether a file is compiled from one below src/: x.js and x.d.ts come from src/x.ts. Files with an extension
// for a kind of module are always compiled.
func (b built) double(name string) bool {
	switch path.Ext(name) {
	case ".mjs", ".cjs", ".mts", ".cts":
		return true
	}
	return !strings.HasPrefix(name, "src/") && b.sources[stem(name)]
}

// stem returns name without its extension. That of a declaration has two parts.
func stem(name string) string {
	if cut, ok := strings.CutSuffix(name, ".d.ts"); ok {
		return cut
	}
	return strings.TrimSuffix(name, path.Ext(name))
}
