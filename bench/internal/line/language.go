package line

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Call is a call of a tool.
type Call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// Language maps work to a server's calls, and its answers to results.
type Language struct {
	Read   func(dir, path string) Call
	Edit   func(dir, path, sum, old, new string) Call
	List   func(dir, path string) Call
	Sizes  func(dir, path string) Call
	Tree   func(dir, path string) Call
	Search func(dir, suffix string) Call // files whose names end in suffix

	Content func(text string) string                 // of read
	Names   func(text string) ([]string, error)      // of list
	Paths   func(text string) ([]string, error)      // of tree; directories end in a slash
	Found   func(dir, text string) ([]string, error) // of search
}

var Our = Language{
	Read: func(_, path string) Call { return Call{"read_file", map[string]any{"path": path}} },
	Edit: func(_, path, sum, old, new string) Call {
		return Call{"edit_file", map[string]any{"path": path, "expectedSha256": sum, "edits": edits(old, new)}}
	},
	List: func(_, path string) Call {
		return Call{"list_directory", map[string]any{"path": path, "namesOnly": true}}
	},
	Sizes: func(_, path string) Call { return Call{"list_directory", map[string]any{"path": path}} },
	Tree: func(_, path string) Call {
		return Call{"list_directory", map[string]any{"path": path, "recursive": true, "namesOnly": true}}
	},
	Search: func(_, suffix string) Call {
		return Call{"search_files", map[string]any{"query": "**/*" + suffix, "mode": "path", "maxResults": 10_000}}
	},
	Content: func(text string) string { return below(text) },
	Names:   func(text string) ([]string, error) { return ourEntries(text, path.Base) },
	Paths:   func(text string) ([]string, error) { return ourEntries(text, strings.Clone) },
	Found:   func(_, text string) ([]string, error) { return strings.Split(below(text), "\n"), nil },
}

var Their = Language{
	Read: func(dir, path string) Call {
		return Call{"read_text_file", map[string]any{"path": filepath.Join(dir, path)}}
	},
	Edit: func(dir, path, _, old, new string) Call {
		return Call{"edit_file", map[string]any{"path": filepath.Join(dir, path), "edits": edits(old, new)}}
	},
	List: func(dir, path string) Call {
		return Call{"list_directory", map[string]any{"path": filepath.Join(dir, path)}}
	},
	Sizes: func(dir, path string) Call {
		return Call{"list_directory_with_sizes", map[string]any{"path": filepath.Join(dir, path)}}
	},
	Tree: func(dir, path string) Call {
		return Call{"directory_tree", map[string]any{"path": filepath.Join(dir, path)}}
	},
	Search: func(dir, suffix string) Call {
		return Call{"search_files", map[string]any{"path": dir, "pattern": "**/*" + suffix}}
	},
	Content: func(text string) string { return text },
	Names:   theirEntries,
	Paths: func(text string) (out []string, err error) {
		var tree []node
		err = json.Unmarshal([]byte(text), &tree)
		return flat(out, "", tree), err
	},
	Found: func(dir, text string) (out []string, err error) {
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

// below returns a text without its first line.
func below(text string) string {
	_, after, _ := strings.Cut(text, "\n")
	return after
}

// ourEntries parses lines such as "file 12 a/b.go" and "dir - a/".
func ourEntries(text string, name func(string) string) (out []string, err error) {
	for line := range strings.SplitSeq(below(text), "\n") {
		at := strings.LastIndexByte(line, ' ') // no name in the trees has a space
		if at < 0 {
			return nil, fmt.Errorf("no entry: %q", line)
		}
		out = append(out, name(line[at+1:]))
	}
	return out, nil
}

// theirEntries parses lines such as "[FILE] b.go".
func theirEntries(text string) (out []string, err error) {
	text, _, _ = strings.Cut(text, "\n\n") // with sizes, a summary follows, and each size is after its name
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
