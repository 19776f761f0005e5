package find

import (
	"bytes"
	"strings"
)

// ignoreFile is the rules of one ignore file. The last one that matches decides.
type ignoreFile struct{ list []ignoreRule }

// ignoreRule is one line of it.
type ignoreRule struct {
	keep     bool // it began with !
	dirOnly  bool // it ended in a slash
	anchored bool // it has a slash, and matches the path from the directory of its file; otherwise it matches the last name
	kind     matchKind
	text     string // for exact and suffix
	glob     gitGlob
}

type matchKind uint8

const (
	exact  matchKind = iota
	suffix           // a star and then text
	byPattern
	never
)

type decision uint8

const (
	undecided decision = iota
	ignore             // leave it out
	keep
)

// parseIgnoreFile never fails: a line that is no pattern matches nothing, as in git.
func parseIgnoreFile(text []byte) *ignoreFile {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	r := &ignoreFile{}
	for line := range strings.SplitSeq(string(text), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i := strings.IndexByte(line, 0); i >= 0 {
			line = line[:i]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r.list = append(r.list, parseIgnoreRule(trimSpaces(line)))
	}
	if len(r.list) == 0 {
		return nil
	}
	return r
}

// trimSpaces removes the spaces at the end that no backslash precedes.
func trimSpaces(line string) string {
	end := -1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			if end < 0 {
				end = i
			}
			continue
		case '\\':
			i++
			if i == len(line) {
				return line
			}
		}
		end = -1
	}
	if end < 0 {
		return line
	}
	return line[:end]
}

func parseIgnoreRule(line string) (r ignoreRule) {
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.text = line
	switch i := strings.IndexAny(line, gitGlobSpecial); {
	case line == "":
		r.kind = never
	case i < 0:
		r.kind = exact
	case i == 0 && line[0] == '*' && !r.anchored && !strings.ContainsAny(line[1:], gitGlobSpecial):
		r.kind, r.text = suffix, line[1:]
	default:
		var ok bool
		r.kind = byPattern
		if r.glob, ok = compileGitGlob(line); !ok {
			r.kind = never
		}
	}
	return r
}

// match returns what the rules say about a name. path is its path from the directory of the file.
func (r *ignoreFile) match(path, name []byte, dir bool) decision {
	for i := len(r.list) - 1; i >= 0; i-- {
		l := &r.list[i]
		if l.dirOnly && !dir || !l.match(path, name) {
			continue
		}
		if l.keep {
			return keep
		}
		return ignore
	}
	return undecided
}

func (r *ignoreRule) match(path, name []byte) bool {
	if r.anchored {
		name = path
	}
	switch r.kind {
	case exact:
		return string(name) == r.text
	case suffix:
		return len(name) >= len(r.text) && string(name[len(name)-len(r.text):]) == r.text
	case byPattern:
		return r.glob.match(name)
	}
	return false
}
