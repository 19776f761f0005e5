package main

import (
	"context"
	"embed"
	"encoding/json"
	"path"
	"strings"
)

//go:embed files
var filesFS embed.FS

// npmTargets gives the targets that npm has packages for, in its own names.
var npmTargets = map[target]struct{ os, cpu string }{
	{"linux", "amd64"}:   {"linux", "x64"},
	{"linux", "arm64"}:   {"linux", "arm64"},
	{"linux", "riscv64"}: {"linux", "riscv64"},
	{"linux", "386"}:     {"linux", "ia32"},
	{"darwin", "amd64"}:  {"darwin", "x64"},
	{"darwin", "arm64"}:  {"darwin", "arm64"},
	{"windows", "amd64"}: {"win32", "x64"},
	{"windows", "arm64"}: {"win32", "arm64"},
}

// npmPackage is a package.json.
type npmPackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	MCPName              string            `json:"mcpName,omitempty"`
	Description          string            `json:"description"`
	Keywords             []string          `json:"keywords,omitempty"`
	Homepage             string            `json:"homepage"`
	Repository           npmRepository     `json:"repository"`
	License              string            `json:"license"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PublishConfig        map[string]any    `json:"publishConfig"`
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

const (
	npmScope = "@emend-dev/"
	mcpName  = "io.github.emend-dev/emend"
)

// npmName is the package of a target: the start script looks for it by process.platform and process.arch.
func npmName(t target) string {
	return npmScope + "emend-" + npmTargets[t].os + "-" + npmTargets[t].cpu
}

// writeNPM writes a package for each target, and the one that people install: it has a start script and the others as optional
// dependencies, of which npm installs the one for the machine. None has an install script.
func (r *release) writeNPM(context.Context) error {
	optional := map[string]string{}
	for _, b := range r.built {
		optional[npmName(b.target)] = r.version
		p := r.npmPackage(npmName(b.target), summary+" (the program for "+b.os+", "+b.arch+")")
		p.OS, p.CPU = []string{npmTargets[b.target].os}, []string{npmTargets[b.target].cpu}
		p.Files = []string{"bin"}
		t := tree{path.Join("package/bin", b.program()): {b.data, true}}
		t.add("package", r.legal(b))
		if err := r.writeNPMPackage(p, t); err != nil {
			return err
		}
	}
	p := r.npmPackage("emend", summary)
	p.MCPName = mcpName
	p.Keywords = []string{"mcp", "coding-agent", "patch", "undo", "audit"}
	p.Bin = map[string]string{"emend": "bin/emend.js"}
	p.Files = []string{"bin"}
	p.Engines = map[string]string{"node": ">=18"}
	p.OptionalDependencies = optional
	start, err := filesFS.ReadFile("files/npm/emend.js")
	if err != nil {
		return err
	}
	readme, err := filesFS.ReadFile("files/npm/README.md")
	if err != nil {
		return err
	}
	return r.writeNPMPackage(p, tree{"package/bin/emend.js": {start, true}, "package/README.md": {data: readme},
		"package/LICENSE": {data: []byte(r.own.text)}})
}

func (r *release) npmPackage(name, description string) npmPackage {
	return npmPackage{Name: name, Version: r.version, Description: description, Homepage: homepage, License: r.own.id,
		Repository:    npmRepository{"git", "git+" + homepage + ".git"},
		PublishConfig: map[string]any{"access": "public", "provenance": true}}
}

// writeNPMPackage writes a package as npm pack would: everything below the directory "package".
func (r *release) writeNPMPackage(p npmPackage, t tree) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	t["package/package.json"] = entry{data: append(text, '\n')}
	data, err := t.tarGz(r.commit.time)
	if err != nil {
		return err
	}
	return r.write(path.Join("npm", npmFile(p.Name, p.Version)), data, 0o644)
}

// npmFile is the name that npm pack gives a package.
func npmFile(name, version string) string {
	if scope, rest, ok := cutScope(name); ok {
		name = scope + "-" + rest
	}
	return name + "-" + version + ".tgz"
}

// cutScope splits @scope/name.
func cutScope(name string) (scope, rest string, ok bool) {
	if name[0] != '@' {
		return "", name, false
	}
	scope, rest, ok = strings.Cut(name[1:], "/")
	return scope, rest, ok
}
