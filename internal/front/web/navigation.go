package web

import (
	"context"
	"strings"

	"github.com/emend-dev/emend"
)

// navLink is a page in the header.
type navLink struct {
	Text, Href, Key string // Key goes there, after g
	Current         string // "page" on it, "true" on a page of one of its items
	Count           int    // what waits there
}

// Nav is the pages in the header.
func (f *frame) Nav() []navLink {
	out := []navLink{{Text: "Timeline", Key: "t"}, {Text: "Sessions", Key: "s"}, {Text: "Waiting", Key: "w", Count: f.Waiting}, {Text: "Trash", Key: "r"}, {Text: "Health", Key: "h"}}
	at := strings.TrimPrefix(f.Path, Base+f.Workspace.Name+"/")
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

// logHead is the number of the newest record of a workspace's log; 0 where there is none.
func logHead(ctx context.Context, space *Workspace) uint64 {
	t, err := space.Timeline(ctx, emend.TimelineRequest{Limit: 1, Look: 1})
	if err != nil {
		return 0
	}
	return t.Head.Seq
}
