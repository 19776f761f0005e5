package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/bench/internal/line"
)

// contest is the result of edits of one file that were all in flight at once, each of a line of its own.
type contest struct {
	server          string
	answered, there int // edits that were acknowledged, and edits that are in the file
	refused         int // because another edit was faster; they are tried again with the current file
}

const contenders = 32

func contestPage() string {
	var b strings.Builder
	for i := range contenders {
		b.WriteString(contestLine(i, "before"))
	}
	return b.String()
}

func contestLine(i int, when string) string {
	return fmt.Sprintf("line %d is as it was %s the contest\n", i, when)
}

// contests runs the contest on every server.
func (b *bench) contests(ctx context.Context) (out []contest, err error) {
	for i, srv := range b.programs.servers() {
		home := filepath.Join(b.scratch, fmt.Sprintf("contest%d", i))
		s := &side{server: srv, home: home, dir: filepath.Join(home, "tree")}
		if err := write(filepath.Join(s.dir, "one.txt"), contestPage()); err != nil {
			return nil, err
		}
		if s.link, err = b.lines(ctx, s); err != nil {
			return nil, err
		}
		c, err := s.contest()
		if err == nil {
			err = s.link.End()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (s *side) contest() (contest, error) {
	c := contest{server: s.name}
	todo := make([]int, contenders)
	for i := range todo {
		todo[i] = i
	}
	name := filepath.Join(s.dir, "one.txt")
	for range contenders { // each turn makes at least one edit
		text, err := os.ReadFile(name)
		if err != nil {
			return c, err
		}
		calls := make([]line.Call, len(todo))
		for k, i := range todo {
			calls[k] = s.talk.Edit(s.dir, "one.txt", sum(string(text)), contestLine(i, "before"), contestLine(i, "after"))
		}
		out, err := s.link.Drive(calls, contenders)
		if err != nil {
			return c, err
		}
		if todo, err = out.Refused(todo); err != nil {
			return c, err
		}
		if c.refused += len(todo); len(todo) == 0 {
			break
		}
	}
	c.answered = contenders - len(todo)
	text, err := os.ReadFile(name)
	for i := range contenders {
		if strings.Contains(string(text), contestLine(i, "after")) {
			c.there++
		}
	}
	return c, err
}
