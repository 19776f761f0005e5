package main

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// call is a call of a tool.
type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// language is how a server is asked for the same work, and how its answers are read.
type language struct {
	read   func(dir, path string) call
	edit   func(dir, path, sum, old, new string) call
	list   func(dir, path string) call
	sizes  func(dir, path string) call
	tree   func(dir, path string) call
	search func(dir, suffix string) call // files whose names end so

	content func(text string) string                 // of read
	names   func(text string) ([]string, error)      // of list
	paths   func(text string) ([]string, error)      // of tree: directories with a slash at the end
	found   func(dir, text string) ([]string, error) // of search
}

var our = language{
	read: func(_, path string) call { return call{"read_file", map[string]any{"path": path}} },
	edit: func(_, path, sum, old, new string) call {
		return call{"edit_file", map[string]any{"path": path, "expectedSha256": sum, "edits": edits(old, new)}}
	},
	list:  func(_, path string) call { return call{"list_directory", map[string]any{"path": path}} },
	sizes: func(_, path string) call { return call{"list_directory", map[string]any{"path": path}} },
	tree: func(_, path string) call {
		return call{"list_directory", map[string]any{"path": path, "recursive": true}}
	},
	search: func(_, suffix string) call {
		return call{"search_files", map[string]any{"query": "**/*" + suffix, "mode": "path", "maxResults": 10_000}}
	},
	content: func(text string) string { return below(text) },
	names:   func(text string) ([]string, error) { return ourEntries(text, path.Base) },
	paths:   func(text string) ([]string, error) { return ourEntries(text, strings.Clone) },
	found:   func(_, text string) ([]string, error) { return strings.Split(below(text), "\n"), nil },
}

var their = language{
	read: func(dir, path string) call {
		return call{"read_text_file", map[string]any{"path": filepath.Join(dir, path)}}
	},
	edit: func(dir, path, _, old, new string) call {
		return call{"edit_file", map[string]any{"path": filepath.Join(dir, path), "edits": edits(old, new)}}
	},
	list: func(dir, path string) call {
		return call{"list_directory", map[string]any{"path": filepath.Join(dir, path)}}
	},
	sizes: func(dir, path string) call {
		return call{"list_directory_with_sizes", map[string]any{"path": filepath.Join(dir, path)}}
	},
	tree: func(dir, path string) call {
		return call{"directory_tree", map[string]any{"path": filepath.Join(dir, path)}}
	},
	search: func(dir, suffix string) call {
		return call{"search_files", map[string]any{"path": dir, "pattern": "**/*" + suffix}}
	},
	content: func(text string) string { return text },
	names:   theirEntries,
	paths: func(text string) (out []string, err error) {
		var tree []node
		err = json.Unmarshal([]byte(text), &tree)
		return flat(out, "", tree), err
	},
	found: func(dir, text string) (out []string, err error) {
		for line := range strings.SplitSeq(text, "\n") {
			rel, err := filepath.Rel(dir, line)
			if err != nil {
				return nil, err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return out, nil
	},
}

func edits(old, new string) any { return []map[string]string{{"oldText": old, "newText": new}} }

// below is a text without its first line.
func below(text string) string {
	_, after, _ := strings.Cut(text, "\n")
	return after
}

// ourEntries reads lines such as "file 12 a/b.go" and "dir - a/".
func ourEntries(text string, name func(string) string) (out []string, err error) {
	for line := range strings.SplitSeq(below(text), "\n") {
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("no entry: %q", line)
		}
		out = append(out, name(f[2]))
	}
	return out, nil
}

// theirEntries reads lines such as "[FILE] b.go".
func theirEntries(text string) (out []string, err error) {
	text, _, _ = strings.Cut(text, "\n\n") // a summary follows where there are sizes, and each is after its name
	for line := range strings.SplitSeq(text, "\n") {
		_, name, ok := strings.Cut(line, "] ")
		name, _, _ = strings.Cut(name, " ")
		if !ok {
			return nil, fmt.Errorf("no entry: %q", line)
		}
		out = append(out, name)
	}
	return out, nil
}

// node is an entry of their directory_tree.
type node struct {
	Name, Type string
	Children   []node
}

func flat(out []string, above string, tree []node) []string {
	for _, n := range tree {
		if n.Type == "directory" {
			out = append(out, above+n.Name+"/")
			out = flat(out, above+n.Name+"/", n.Children)
			continue
		}
		out = append(out, above+n.Name)
	}
	return out
}
