package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repository is where links lead that leave the pages.
const repository = "https://github.com/emend-dev/emend"

// stage copies the Markdown that is committed, and the pictures, and turns the README into the first page.
func (s *site) stage(ctx context.Context) error {
	list, err := output(ctx, s.root, "git", "ls-files", "-z", "*.md", "docs/images")
	if err != nil {
		return err
	}
	files := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	files = slices.DeleteFunc(files, func(name string) bool {
		return strings.HasPrefix(name, ".github/") || strings.HasPrefix(name, "release/files/") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "examples/")
	})
	there := map[string]bool{}
	for _, name := range files {
		there[name] = true
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			text = []byte(linksOut(string(text), name, func(target string) bool { return there[target] }, s.isDir))
			s.pages = append(s.pages, page{name, title(text)})
		}
		if name == "README.md" {
			name = "index.md"
		}
		if err := s.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) isDir(name string) bool {
	is, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name)))
	return err == nil && is.IsDir()
}

// write writes a file of the work.
func (s *site) write(name string, text []byte) error {
	to := filepath.Join(s.work, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// title returns the first heading of a page.
func title(text []byte) string {
	for line := range bytes.Lines(text) {
		if h, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			return string(bytes.TrimSpace(h))
		}
	}
	return ""
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pictureLink  = regexp.MustCompile(`(src|srcset)="([\w-]+/)`)
	absoluteLink = regexp.MustCompile(`^([a-z]+:|#)`)
)

// linksOut lets the links of a page that lead to a file which is no page lead to the repository. There is a page of the README at the
// top, and of no directory.
func linksOut(text, name string, isPage, isDir func(string) bool) string {
	text = pictureLink.ReplaceAllString(text, `$1="./$2`) // else the bundler looks for a package
	return markdownLink.ReplaceAllStringFunc(text, func(link string) string {
		target := markdownLink.FindStringSubmatch(link)[1]
		if absoluteLink.MatchString(target) {
			return link
		}
		file, anchor, _ := strings.Cut(target, "#")
		to := path.Join(path.Dir(name), file)
		if anchor != "" {
			anchor = "#" + anchor
		}
		switch {
		case to == "README.md":
			return "](/index.md" + anchor + ")"
		case isPage(to):
			return link
		case to == "docs/decisions":
			return "](/docs/decisions/index.md)"
		case isDir(to):
			return fmt.Sprintf("](%s/tree/main/%s)", repository, to)
		}
		return fmt.Sprintf("](%s/blob/main/%s%s)", repository, to, anchor)
	})
}

// section is a part of the list beside the pages.
type section struct {
	name  string
	pages []string
}

// sections are all pages that a reader finds beside a page, in order. Each page of docs must be in one.
var sections = []section{
	{"Start", []string{"README.md", "docs/why.md", "docs/install.md"}},
	{"Guides", []string{"docs/guides/claude-code.md", "docs/guides/codex.md", "docs/guides/go.md", "docs/guides/mcp.md", "docs/guides/operators.md"}},
	{"For people", []string{"docs/command-line.md", "docs/run.md", "docs/ui.md", "docs/editor.md", "docs/fleet.md", "docs/fleet-pages.md", "docs/log.md", "docs/trash.md", "docs/find.md", "docs/explain.md",
		"docs/policy.md", "docs/rules.md", "docs/man.md"}},
	{"For agents", []string{"docs/clients.md", "docs/tools.md", "docs/profiles.md", "docs/dialects.md", "docs/differences.md", "docs/serve.md", "docs/mcp.md", "docs/agents.md"}},
	{"Promises", []string{"docs/commit.md", "docs/threats.md", "docs/reliability.md", "docs/proofs.md", "docs/windows.md", "docs/fleet-security.md", "docs/fleet-scale.md", "docs/size.md", "docs/conformance.md", "docs/performance.md", "SECURITY.md"}},
	{"Reference", []string{"reference/commands.md", "reference/tools.md", "reference/errors.md", "reference/policy.md"}},
	{"Contribute", []string{"CONTRIBUTING.md", "docs/architecture.md", "docs/decisions/index.md"}},
}

// writeSidebar writes the list of pages, and a page for the list of decisions.
func (s *site) writeSidebar(context.Context) error {
	titles := map[string]string{}
	decisions := []byte("# Decisions\n\nWhat was decided, when it could have been decided otherwise, and why.\n\n")
	for _, p := range s.pages {
		if titles[p.path] = p.title; strings.HasPrefix(p.path, "docs/decisions/") {
			decisions = fmt.Appendf(decisions, "* [%s](%s)\n", p.title, path.Base(p.path))
		}
	}
	titles["docs/decisions/index.md"] = "Decisions"
	if err := s.write("docs/decisions/index.md", decisions); err != nil {
		return err
	}
	type item struct {
		Text  string `json:"text"`
		Link  string `json:"link,omitempty"`
		Items []item `json:"items,omitempty"`
	}
	var list []item
	listed := map[string]bool{}
	for _, sec := range sections {
		top := item{Text: sec.name}
		for _, name := range sec.pages {
			t, ok := titles[name]
			if !ok {
				return fmt.Errorf("there is no page %s; correct the list of sections", name)
			}
			listed[name] = true
			link := "/" + strings.TrimSuffix(name, ".md")
			if name == "README.md" {
				link = "/"
			}
			top.Items = append(top.Items, item{Text: t, Link: link})
		}
		list = append(list, top)
	}
	for _, p := range s.pages {
		if dir := path.Dir(p.path); (dir == "docs" || dir == "docs/guides") && !listed[p.path] {
			return fmt.Errorf("%s is in no section; add it to the list", p.path)
		}
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return s.write(".vitepress/sidebar.json", text)
}
