package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
)

// contest has every caller change a line of its own in the same file. What is refused because somebody was quicker is asked for
// again; what is answered as made has to be there, which is emend's promise and not the other's.
func (s *served) contest(n, callers int) (sample, error) {
	const name = "contest.txt"
	var before, after strings.Builder
	todo := make([]int, n)
	for i := range n {
		todo[i] = i
		before.WriteString(contestLine(i, "before"))
		after.WriteString(contestLine(i, "after"))
	}
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(before.String()), 0o666); err != nil {
		return sample{}, err
	}
	var took time.Duration
	for range n { // one at least is made in every turn
		calls := make([]line.Call, len(todo))
		for k, i := range todo {
			calls[k] = s.change(name, contestLine(i, "before"), contestLine(i, "after"))
		}
		out, err := s.Drive(calls, callers)
		if err != nil {
			return sample{}, err
		}
		took += out.Took
		if todo, err = out.Refused(todo); err != nil {
			return sample{}, err
		}
		if len(todo) == 0 {
			break
		}
	}
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	is := s.sample(took)
	if lost := n - strings.Count(string(text), "after"); lost > 0 {
		if s.talk == &line.Our {
			return is, fmt.Errorf("%d edits that were answered as made are not there", lost)
		}
		is.note = fmt.Sprintf("%s, which loses %d of %d edits", theirName, lost, n)
	}
	return is, err
}

// change is a line's replacement that needs no hash: a patch for emend.
func (s *served) change(name, old, now string) line.Call {
	if s.talk != &line.Our {
		return s.talk.Edit(s.dir, name, "", old, now)
	}
	patch := "*** Begin Patch\n*** Update File: " + name + "\n@@\n-" + old + "+" + now + "*** End Patch\n"
	return line.Call{Name: "apply_patch", Arguments: map[string]any{"patch": patch}}
}

func contestLine(i int, when string) string {
	return fmt.Sprintf("line %d is as it was %s the contest\n", i, when)
}
