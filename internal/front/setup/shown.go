package setup

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// shown is the change to the file for people, who may show it to others: the lines around it are left out, and of what
// else stands in a line only the names are there. Beside the entry of emend other servers have theirs, with their keys.
func (j *job) shown(after []byte) string {
	known := map[string]bool{}
	for _, s := range j.settings {
		words(s, known)
	}
	for _, s := range j.there(j.file.text) {
		words(s, known)
	}
	out := textdiff.Unified(j.file.found, after, diff.Context(0))
	return hide(string(out), j.form, known)
}

// secretive are the members of an entry with what a person may have put there.
var secretive = map[string]bool{"env": true, "headers": true, "http_headers": true}

// words notes the strings of a setting.
func words(s setting, into map[string]bool) {
	switch s := s.(type) {
	case member:
		v, _ := decodePlain(s.value)
		note(v, into)
	case table:
		v, _ := json.Marshal(s.value)
		words(member{value: v}, into)
	case items:
		for _, word := range s.list {
			into[word] = true
		}
	}
}

func note(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[v] = true
	case []any:
		for _, e := range v {
			note(e, into)
		}
	case map[string]any:
		for name, e := range v {
			if !secretive[name] {
				note(e, into)
			}
		}
	}
}

// quoted are strings, also one that does not end in its line, each with what makes it a name.
var (
	quotedJSON = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`("(?:[^"\\\n]|\\.)*"?)([ \t]*:)?`) })
	quotedTOML = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)([ \t]*[=.])?`)
	})
)

// hide leaves of the strings of a text its names and what is known.
func hide(text string, f form, known map[string]bool) string {
	re := quotedJSON()
	if f == tomlForm {
		re = quotedTOML()
	}
	return re.ReplaceAllStringFunc(text, func(s string) string {
		m := re.FindStringSubmatch(s)
		var is string
		if m[2] != "" || json.Unmarshal([]byte(m[1]), &is) == nil && known[is] || known[strings.Trim(m[1], "'")] {
			return s
		}
		return m[1][:1] + "…" + m[1][:1]
	})
}
