package gitobjects

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	maxCommit = 1 << 20
	maxTree   = 16 << 20
	maxRefs   = 64 << 20 // of packed-refs
)

// Commit is what is read of a commit.
type Commit struct {
	ID      ID
	Tree    ID
	Parents []ID
	Time    time.Time // of the committer
	Subject string    // the first line of the message
}

// Head returns the commit that is checked out. The error is ErrNotFound if there is none yet, and ErrUnsupported if the references are
// stored in another way than in files.
func (r *Repo) Head() (ID, error) {
	head, err := readSmall(filepath.Join(r.dir, "HEAD"))
	if err != nil {
		return "", err
	}
	name, isRef := strings.CutPrefix(strings.TrimSpace(head), "ref: ")
	if !isRef {
		return r.parseID(name)
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "refs/heads/.invalid":
		return "", fmt.Errorf("%w: references in tables", ErrUnsupported)
	case !strings.HasPrefix(name, "refs/") || path.Clean(name) != name || strings.ContainsAny(name, "\\\x00"):
		return "", damaged("HEAD leads to %.80q", name)
	}
	text, err := readSmall(filepath.Join(r.common, filepath.FromSlash(name)))
	if err == nil {
		return r.parseID(strings.TrimSpace(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return r.packedRef(name)
}

// packedRef finds a reference in the file that has many.
func (r *Repo) packedRef(name string) (ID, error) {
	text, _, err := readText(filepath.Join(r.common, "packed-refs"), maxRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for line := range strings.Lines(text) {
		if id, ref, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " "); ref == name {
			return r.parseID(id)
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNotFound)
}

func (r *Repo) parseID(text string) (ID, error) {
	id, err := hex.DecodeString(text)
	if err != nil || len(id) != r.format.size {
		return "", damaged("%.80q names no object", text)
	}
	return ID(id), nil
}

// Commit reads a commit.
func (r *Repo) Commit(id ID) (*Commit, error) {
	content, err := r.object(commitObject, id, maxCommit)
	if err != nil {
		return nil, err
	}
	c, err := r.parseCommit(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	c.ID = id
	return c, nil
}

// parseCommit reads the lines "tree", "parent" and "committer", and the subject behind the first empty line.
func (r *Repo) parseCommit(text string) (*Commit, error) {
	c := &Commit{}
	head, message, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree", "parent":
			id, err := r.parseID(value)
			if err != nil {
				return nil, err
			}
			if key == "tree" {
				c.Tree = id
			} else {
				c.Parents = append(c.Parents, id)
			}
		case "committer":
			_, when, _ := strings.Cut(value, "> ")
			seconds, _, _ := strings.Cut(when, " ")
			n, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return nil, damaged("a commit has no time")
			}
			c.Time = time.Unix(n, 0)
		}
	}
	if c.Tree == "" || c.Time.IsZero() {
		return nil, damaged("a commit has no tree or no time")
	}
	c.Subject, _, _ = strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	return c, nil
}

// BlobAt returns the name of the blob that a tree has at a path with slashes. The error is ErrNotFound if it has none there.
func (r *Repo) BlobAt(tree ID, file string) (ID, error) {
	for {
		name, rest, more := strings.Cut(file, "/")
		content, err := r.object(treeObject, tree, maxTree)
		if err != nil {
			return "", err
		}
		id, isTree, err := r.treeEntry(string(content), name)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", tree, err)
		case id == "" || isTree != more:
			return "", ErrNotFound
		case !more:
			return id, nil
		}
		tree, file = id, rest
	}
}

// treeEntry finds a name in a tree: "mode name\0" and the bytes of an ID, for each entry. It returns "" if the name is not there, or not
// that of a file or a directory.
func (r *Repo) treeEntry(text, name string) (id ID, isTree bool, err error) {
	for text != "" {
		head, rest, ok := strings.Cut(text, "\x00")
		mode, entry, spaced := strings.Cut(head, " ")
		if !ok || !spaced || len(rest) < r.format.size {
			return "", false, damaged("a tree is cut off")
		}
		if entry == name {
			switch mode {
			case "40000":
				return ID(rest[:r.format.size]), true, nil
			case "100644", "100755", "100664", "120000":
				return ID(rest[:r.format.size]), false, nil
			}
			return "", false, nil
		}
		text = rest[r.format.size:]
	}
	return "", false, nil
}
