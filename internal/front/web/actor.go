package web

import (
	"hash/fnv"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/report"
)

// actor names who made a call, on every page.
type actor struct {
	Name    string
	Initial string
	Hue     string // a CSS class: the colour of the initial
}

// hues are the classes of initials. The last is that of the person.
var hues = []string{"hue-1", "hue-2", "hue-3", "hue-4", "hue-5", "hue-you"}

// productHues are the colours of well-known programs, which should differ.
var productHues = map[string]string{"Claude Code": "hue-4", "Codex": "hue-3", "Gemini CLI": "hue-1", "Cursor": "hue-2", "opencode": "hue-5"}

// actorOf names who made a call, by what the log has of them.
func actorOf(agent, client, tool string) actor {
	a := actor{Name: report.ActorName(agent, client)}
	switch {
	case a.Name == report.You:
		a.Hue = hues[len(hues)-1]
	case tool == audit.Between:
		a.Name = "Outside emend"
	case a.Name == "":
		a.Name = "Unknown"
	}
	a.Name = report.OneLine(a.Name)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(a.Name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	if first == utf8.RuneError {
		first = '?'
	}
	a.Initial = string(unicode.ToUpper(first))
	program := strings.TrimRight(a.Name, "0123456789.v ") // each version has the same colour
	if a.Hue == "" {
		a.Hue = productHues[program]
	}
	if a.Hue == "" {
		sum := fnv.New32a()
		sum.Write([]byte(program))
		a.Hue = hues[sum.Sum32()%uint32(len(hues)-1)]
	}
	return a
}

// AtBegin returns the name as it begins a line.
func (a actor) AtBegin() string {
	if a.Name == report.You {
		return upperFirst(a.Name)
	}
	return a.Name
}

// sessionTitle titles a session by when it began and what it worked on: "14:05 · cart.ts, prices.ts +2". No prompt is kept
// that could name it. Paths are in the order in which the session touched them.
func sessionTitle(began time.Time, paths []string) string {
	const named = 2
	title := clock(began, time.Now())
	var names []string
	for _, p := range paths[:min(len(paths), named)] {
		names = append(names, path.Base(p))
	}
	if len(names) > 0 {
		title += " · " + strings.Join(names, ", ")
	}
	if n := len(paths) - len(names); n > 0 {
		title += " +" + grouped(n)
	}
	return title
}

// clock returns the time of day, with the day if that is not today.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan, 15:04")
	}
	return t.Format("2 Jan 2006, 15:04")
}
