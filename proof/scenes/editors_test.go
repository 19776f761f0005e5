//go:build linux

package scenes

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// page is the file that a person and an agent change at the same time. Each has a line of its own.
type page struct{ human, agent int }

// filler separates the two lines, and makes the file long enough for a save to be seen halfway.
var filler = strings.Repeat("what neither of them touches\n", 100)

func (p page) String() string {
	return fmt.Sprintf("human %d\n%sagent %d\nend\n", p.human, filler, p.agent)
}

// parsePage parses a page. It reports false in the middle of a save.
func parsePage(data string) (p page, whole bool) {
	head, tail, ok := strings.Cut(data, filler)
	if !ok {
		return p, false
	}
	_, err := fmt.Sscanf(head+tail, "human %d\nagent %d\nend\n", &p.human, &p.agent)
	return p, err == nil && data == p.String()
}

// editor saves a page the way some programs do.
type editor struct {
	name string
	save func(name string, p page) error
}

// editors are the two ways that almost every program uses.
var editors = []editor{
	{"atomic", func(name string, p page) error { return saveByRename(name, []byte(p.String())) }},
	{"in-place", func(name string, p page) error {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return errors.Join(writeHalves(f, p.String()), f.Close())
	}},
}

// writeHalves pauses when half of the text is written.
func writeHalves(f *os.File, s string) error {
	_, err := f.WriteString(s[:len(s)/2])
	if err != nil {
		return err
	}
	_, err = f.WriteString(s[len(s)/2:])
	return err
}
