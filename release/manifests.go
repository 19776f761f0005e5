package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"text/template"
)

// downloads returns the address below which the files of a version are published.
func (r *release) downloads() string { return homepage + "/releases/download/v" + r.version }

// rendered are the files that are made from templates below files/manifests, by the path that they get in the release.
var rendered = []struct {
	name, from string
	needs      []target // it is left out unless all of these were built
	exec       bool
}{
	{name: "install.sh", from: "install.sh", exec: true},
	{name: "emend.rb", from: "emend.rb", needs: []target{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}}},
	{name: "winget/emend-dev.emend.yaml", from: "winget.yaml", needs: winTargets},
	{name: "winget/emend-dev.emend.installer.yaml", from: "winget.installer.yaml", needs: winTargets},
	{name: "winget/emend-dev.emend.locale.en-US.yaml", from: "winget.locale.yaml", needs: winTargets},
	{name: "Containerfile", from: "Containerfile", needs: []target{{"linux", "amd64"}, {"linux", "arm64"}}},
}

var winTargets = []target{{"windows", "amd64"}, {"windows", "arm64"}}

// writeManifests writes what package managers and registries read, and the install script.
func (r *release) writeManifests(context.Context) error {
	for _, f := range rendered {
		if !r.has(f.needs...) {
			continue
		}
		text, err := r.render(f.from)
		if err != nil {
			return err
		}
		if err := r.write(f.name, text, (entry{exec: f.exec}).mode()); err != nil {
			return err
		}
	}
	return r.writeServerJSON()
}

// has reports whether all of the targets were built.
func (r *release) has(targets ...target) bool {
	for _, t := range targets {
		if !slices.ContainsFunc(r.built, func(b binary) bool { return b.target == t }) {
			return false
		}
	}
	return true
}

// render fills in a template. A sum that it asks for is that of a file of this release.
func (r *release) render(name string) ([]byte, error) {
	text, err := filesFS.ReadFile("files/manifests/" + name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Option("missingkey=error").Delims("[[", "]]").Funcs(template.FuncMap{
		"archive": func(os, arch string) string { return r.archiveFile(target{os, arch}) },
		"sum":     func(os, arch string) (string, error) { return r.sum(r.archiveFile(target{os, arch})) },
		"built":   func(os, arch string) bool { return r.has(target{os, arch}) },
		"list":    func(words ...string) []string { return words },
		"fields":  strings.Fields,
		"upper":   strings.ToUpper,
	}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]string{
		"Version": r.version, "Homepage": homepage, "Downloads": r.downloads(), "Summary": summary, "License": r.own.id,
		"Commit": r.commit.hash, "Date": r.commit.time.Format("2006-01-02"),
	})
	return out.Bytes(), err
}

// writeServerJSON writes the entry for the registry of MCP servers.
func (r *release) writeServerJSON() error {
	stdio := map[string]string{"type": "stdio"}
	directory := map[string]any{"type": "positional", "valueHint": "directory", "value": "{directory}",
		"variables": map[string]any{"directory": map[string]any{
			"description": "The directory in which files may be changed", "format": "filepath", "default": "."}}}
	packages := []map[string]any{{
		"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": "emend", "version": r.version,
		"runtimeHint": "npx", "transport": stdio,
		"packageArguments": []map[string]any{{"type": "positional", "value": "serve"}, directory},
	}}
	for _, t := range bundled {
		if !r.has(t) {
			continue
		}
		name := bundleName(r.version, t)
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{"registryType": "mcpb", "identifier": r.downloads() + "/" + name, "version": r.version,
			"fileSha256": sum, "transport": stdio})
	}
	return r.write("server.json", indented(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    mcpName, "title": "emend", "description": "Changes files entirely or not at all, on record and reversible",
		"version": r.version, "websiteUrl": homepage, "repository": map[string]string{"url": homepage, "source": "github"},
		"packages": packages,
	}), 0o644)
}
