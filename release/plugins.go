package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// writePlugins writes what the programs of agents install in one step. The entries of servers and hooks are those that "emend setup"
// writes for a project.
func (r *release) writePlugins(ctx context.Context) error {
	for _, write := range []func(context.Context) error{r.writeClaudePlugin, r.writeGeminiExtension, r.writeClientFiles, r.writeBundles} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}

// setup returns the files that "emend setup" writes for a client into an empty project.
func (r *release) setup(ctx context.Context, client string) (map[string][]byte, error) {
	b, err := r.host(ctx)
	if err != nil {
		return nil, err
	}
	project := filepath.Join(r.work, "setup", client)
	if err := os.MkdirAll(project, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.path, "setup", client, "--scope", "project", "--write")
	cmd.Dir = project
	// The name alone is written only if the account's PATH has this emend.
	cmd.Env = []string{"HOME=" + filepath.Join(r.work, "home"), "PATH=" + filepath.Dir(b.path)}
	if _, err := runCommand(cmd); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	dir := os.DirFS(project)
	err = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir() && (name == ".emend" || name == ".git"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		out[name], err = fs.ReadFile(dir, name)
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("emend setup %s wrote nothing", client)
	}
	return out, err
}

// member returns a member of a JSON object in a file.
func member(files map[string][]byte, file, name string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(files[file], &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if all[name] == nil {
		return nil, fmt.Errorf("%s has no %q", file, name)
	}
	return all[name], nil
}

// indented returns v as people would write it.
func indented(v any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // only values of this package come here
	}
	return append(text, '\n')
}

// described is the head of a plugin or extension.
func (r *release) described() map[string]any {
	return map[string]any{"name": "emend", "version": r.version, "description": summary}
}

// writeClaudePlugin writes a plugin for Claude Code: server, hooks and a skill.
func (r *release) writeClaudePlugin(ctx context.Context) error {
	files, err := r.setup(ctx, "claude-code")
	if err != nil {
		return err
	}
	hooks, err := member(files, ".claude/settings.json", "hooks")
	if err != nil {
		return err
	}
	servers, err := member(files, ".mcp.json", "mcpServers")
	if err != nil {
		return err
	}
	skill, err := filesFS.ReadFile("files/claude-code/skills/emend/SKILL.md")
	if err != nil {
		return err
	}
	head := r.described()
	head["author"] = map[string]string{"name": "emend", "url": homepage}
	head["homepage"], head["repository"], head["license"] = homepage, homepage, r.own.id
	head["keywords"] = []string{"mcp", "undo", "audit"}
	return r.writeBoth("emend-"+r.version+"-claude-code-plugin", tree{
		".claude-plugin/plugin.json": {data: indented(head)},
		".mcp.json":                  {data: indented(map[string]any{"mcpServers": servers})},
		"hooks/hooks.json":           {data: indented(map[string]any{"hooks": hooks})},
		"skills/emend/SKILL.md":      {data: skill},
		"LICENSE":                    {data: []byte(r.own.text)},
	})
}

// writeGeminiExtension writes an extension for Gemini CLI: server, hooks, and a text for the model.
func (r *release) writeGeminiExtension(ctx context.Context) error {
	files, err := r.setup(ctx, "gemini")
	if err != nil {
		return err
	}
	const settings = ".gemini/settings.json"
	servers, err := member(files, settings, "mcpServers")
	if err != nil {
		return err
	}
	hooks, err := member(files, settings, "hooks")
	if err != nil {
		return err
	}
	tools, err := member(files, settings, "tools")
	if err != nil {
		return err
	}
	var off struct {
		Exclude []string `json:"exclude"`
	}
	if err := json.Unmarshal(tools, &off); err != nil {
		return err
	}
	text, err := filesFS.ReadFile("files/gemini/GEMINI.md")
	if err != nil {
		return err
	}
	head := r.described()
	head["mcpServers"], head["contextFileName"], head["excludeTools"] = servers, "GEMINI.md", off.Exclude
	return r.writeBoth("emend-"+r.version+"-gemini-extension", tree{
		"gemini-extension.json": {data: indented(head)},
		"hooks/hooks.json":      {data: indented(map[string]any{"hooks": hooks})},
		"GEMINI.md":             {data: text},
		"LICENSE":               {data: []byte(r.own.text)},
	})
}

// writeClientFiles writes what stands in the settings of clients that have no plugin of that kind.
func (r *release) writeClientFiles(ctx context.Context) error {
	t := tree{}
	for _, client := range []string{"codex", "opencode"} {
		files, err := r.setup(ctx, client)
		if err != nil {
			return err
		}
		t.add(client, files)
	}
	return r.writeBoth("emend-"+r.version+"-settings", t)
}

// writeBoth writes a tree as an archive of each kind: people unpack what their system has a program for.
func (r *release) writeBoth(name string, t tree) error {
	packed, err := t.tarGz(r.commit.time)
	if err == nil {
		err = r.write(name+".tar.gz", packed, 0o644)
	}
	if err != nil {
		return err
	}
	if packed, err = t.zip(r.commit.time); err != nil {
		return err
	}
	return r.write(name+".zip", packed, 0o644)
}

// bundledTool is a tool as a bundle lists it, for people.
type bundledTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// tools returns what emend says of the tools of agents.
func (r *release) tools(ctx context.Context) ([]bundledTool, error) {
	b, err := r.host(ctx)
	if err != nil {
		return nil, err
	}
	said, err := r.emend(ctx, b, "call", "--list", "--json")
	if err != nil {
		return nil, err
	}
	var list []struct{ Name, Title string }
	if err := json.Unmarshal(said, &list); err != nil {
		return nil, err
	}
	var out []bundledTool
	for _, t := range list {
		out = append(out, bundledTool{t.Name, t.Title})
	}
	return out, nil
}

// bundled are the targets of MCP bundles: where the programs run that install them.
var bundled = []target{{"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}}

func bundleName(version string, t target) string {
	return "emend-" + version + "-" + t.os + "-" + t.arch + ".mcpb"
}

// writeBundles writes an MCP bundle for each of those targets.
func (r *release) writeBundles(ctx context.Context) error {
	tools, err := r.tools(ctx)
	if err != nil {
		return err
	}
	for _, b := range r.built {
		if !slices.Contains(bundled, b.target) {
			continue
		}
		manifest := r.described()
		maps.Copy(manifest, map[string]any{
			"manifest_version": "0.3",
			"display_name":     "emend",
			"author":           map[string]string{"name": "emend", "url": homepage},
			"repository":       map[string]string{"type": "git", "url": homepage},
			"homepage":         homepage,
			"license":          r.own.id,
			"keywords":         []string{"files", "patch", "undo", "audit"},
			"server": map[string]any{
				"type": "binary", "entry_point": "server/" + b.program(),
				"mcp_config": map[string]any{"command": "${__dirname}/server/" + b.program(), "args": []string{"serve", "${user_config.directory}"}},
			},
			"user_config": map[string]any{"directory": map[string]any{
				"type": "directory", "title": "Directory", "description": "The directory in which files may be changed", "required": true,
			}},
			"tools":         tools,
			"compatibility": map[string]any{"platforms": []string{strings.Replace(b.os, "windows", "win32", 1)}},
		})
		t := tree{"manifest.json": {data: indented(manifest)}, "server/" + b.program(): {b.data, true}}
		t.add("", r.legal(b))
		data, err := t.zip(r.commit.time)
		if err == nil {
			err = r.write(bundleName(r.version, b.target), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
