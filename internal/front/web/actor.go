package web

import (
	"hash/fnv"
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
	Initial string // one letter, or the two of a well-known program
	Hue     string // a CSS class: the colour of the initial
}

// hues are the classes of initials. The last is that of the person.
var hues = []string{"hue-1", "hue-2", "hue-3", "hue-4", "hue-5", "hue-you"}

// products are the letters and colours of well-known programs, which differ from one another.
var products = map[string]struct{ mark, hue string }{
	"Claude Code": {"CC", "hue-4"}, "Codex": {"Cx", "hue-3"}, "Gemini CLI": {"G", "hue-1"}, "Cursor": {"Cu", "hue-2"}, "opencode": {"oc", "hue-5"}}

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
	if known, ok := products[program]; ok {
		a.Initial, a.Hue = known.mark, known.hue
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
