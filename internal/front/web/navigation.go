package web

import "strings"

// navLink is a link in the header of every page.
type navLink struct {
	Text, Href, Key string // g and Key go there
	Current         string // the value of aria-current: "page" on the page itself, "true" on the page of one of its items
	Count           int    // of calls that wait
}

// Nav returns the links in the header.
func (f *frame) Nav() []navLink {
	out := []navLink{{Text: "Timeline", Key: "t"}, {Text: "Sessions", Key: "s"}, {Text: "Waiting", Key: "w", Count: f.Waiting}, {Text: "Trash", Key: "r"}, {Text: "Health", Key: "h"}}
	at := strings.TrimPrefix(f.Path, f.Root+f.Workspace.Name+"/")
	for i := range out {
		l := &out[i]
		name := strings.ToLower(l.Text)
		if l.Href = f.Workspace.Page(name); name == "timeline" {
			l.Href, name = f.Workspace.Page(), ""
		}
		switch {
		case at == name:
			l.Current = "page"
		case name == "trash" && strings.HasPrefix(at, "trash/"), name == "sessions" && at == "session":
			l.Current = "true"
		}
	}
	return out
}
