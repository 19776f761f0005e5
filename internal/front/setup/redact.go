package setup

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// redactedDiff returns the change to the file for people, who may show it to others. It has no context lines, and of
// the strings in a changed line only names and what setup writes: beside the entry of emend are those of other
// servers, with their keys.
func (e *fileEdit) redactedDiff(after []byte) string {
	known := map[string]bool{}
	for _, s := range e.all() {
		addStrings(s, known)
	}
	for _, s := range e.present(e.file.text) {
		addStrings(s, known)
	}
	out := textdiff.Unified(e.file.content, after, diff.Context(0))
	if e.format == script { // setup writes all of it
		return string(out)
	}
	return redactStrings(string(out), e.format, known)
}

// secretMembers are the members of an entry in which a person may have put secrets.
var secretMembers = map[string]bool{"env": true, "headers": true, "http_headers": true}

// addStrings adds the strings of a setting to a set.
func addStrings(s setting, into map[string]bool) {
	switch s := s.(type) {
	case jsonMember:
		v, _ := decodePlainJSON(s.value)
		addValueStrings(v, into)
	case tomlTable:
		v, _ := json.Marshal(s.value)
		addStrings(jsonMember{value: v}, into)
	case jsonItem:
		addStrings(jsonMember{value: s.value}, into)
	case ownMember:
		addStrings(s.jsonMember, into)
	case jsonList:
		for _, word := range s.list {
			into[word] = true
		}
	}
}

func addValueStrings(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[v] = true
	case []any:
		for _, e := range v {
			addValueStrings(e, into)
		}
	case map[string]any:
		for name, e := range v {
			if !secretMembers[name] {
				addValueStrings(e, into)
			}
		}
	}
}

// A quoted string, also one that does not end on its line, and what makes it a name.
var (
	quotedJSON = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`("(?:[^"\\\n]|\\.)*"?)([ \t]*:)?`) })
	quotedTOML = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)([ \t]*[=.])?`)
	})
)

// redactStrings replaces the strings in a text, except for names and known strings.
func redactStrings(text string, f format, known map[string]bool) string {
	re := quotedJSON()
	if f == tomlForm {
		re = quotedTOML()
	}
	return re.ReplaceAllStringFunc(text, func(s string) string {
		m := re.FindStringSubmatch(s)
		var name string
		if m[2] != "" || json.Unmarshal([]byte(m[1]), &name) == nil && known[name] || known[strings.Trim(m[1], "'")] {
			return s
		}
		return m[1][:1] + "…" + m[1][:1]
	})
}
