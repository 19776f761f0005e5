package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/internal/line"
)

// job is one kind of work that every server does.
type job struct {
	name    string
	doc     string
	calls   int  // in a slice
	sources bool // in the sources of Go, which nobody changes, instead of a tree of its own
	make    func(s *side, i int) line.Call
	check   func(s *side, i int, text string) error
	edits   bool
}

// inFlight returns how many calls are in flight together: one, 32, and for edits 64.
func (j *job) inFlight() []int {
	if j.edits {
		return []int{1, 32, 64}
	}
	return []int{1, 32}
}

// jobs returns the work of a race.
func jobs() []job {
	return []job{
		{name: "read", doc: "a file of 3.4 KB, of 1,000 in turn", calls: 1000, make: readCall, check: checkRead},
		{name: "edit", doc: "one line of a file of 3.4 KB, of 1,000 in turn", calls: 200, make: editCall, check: checkEdit, edits: true},
		{name: "list", doc: "a directory of 1,000 files, their names and types only", calls: 200, make: listCall, check: checkList},
		{name: "list, sizes", doc: "the same, with the size of each, which ours has unless it is told not to", calls: 200, make: sizesCall, check: checkList},
		{name: "list, recursive", doc: "2,000 files in 51 directories, their names and types only", calls: 40, make: treeCall, check: checkTree},
		{name: "search", doc: "names that end in 7.txt among those 2,000", calls: 20, make: searchCall("7.txt"), check: checkSearch("7.txt")},
		{name: "search, Go's sources", doc: "names that end in _test.go in the sources of Go", calls: 4, sources: true,
			make: searchCall("_test.go"), check: checkSearch("_test.go")},
	}
}

func turn(i int) int { return i % (directories * perDirectory) }

func readCall(s *side, i int) line.Call { return s.talk.Read(s.dir, fileName(turn(i))) }

func checkRead(s *side, i int, text string) error {
	if s.talk.Content(text) != content(turn(i), s.at[turn(i)]) {
		return fmt.Errorf("%s returns another text for %s: %.200q", s.name, fileName(turn(i)), text)
	}
	return nil
}

// editCall returns the next edit of a file. A file comes once in a slice, so calls in flight never conflict.
func editCall(s *side, i int) line.Call {
	i = turn(i)
	n := s.at[i]
	s.at[i]++
	return s.talk.Edit(s.dir, fileName(i), sum(content(i, n)), changing(n), changing(n+1))
}

// checkEdit checks that the answer shows the change. The tree is checked after every slice.
func checkEdit(s *side, i int, text string) error {
	if !strings.Contains(text, fileName(turn(i))) {
		return fmt.Errorf("%s does not name the file: %.300q", s.name, text)
	}
	return nil
}

func listCall(s *side, _ int) line.Call { return s.talk.List(s.dir, wide) }

func sizesCall(s *side, _ int) line.Call { return s.talk.Sizes(s.dir, wide) }

func checkList(s *side, _ int, text string) error {
	got, err := s.talk.Names(text)
	if err != nil {
		return err
	}
	want, err := walk(filepath.Join(s.dir, wide))
	return same(s.name, got, want, err)
}

func treeCall(s *side, _ int) line.Call { return s.talk.Tree(s.dir, ".") }

func checkTree(s *side, _ int, text string) error {
	got, err := s.talk.Paths(text)
	if err != nil {
		return err
	}
	got = slices.DeleteFunc(got, func(path string) bool { return strings.HasPrefix(path, ".emend/") })
	want, err := walk(s.dir)
	return same(s.name, got, want, err)
}

func searchCall(suffix string) func(*side, int) line.Call {
	return func(s *side, _ int) line.Call { return s.talk.Search(s.dir, suffix) }
}

func checkSearch(suffix string) func(*side, int, string) error {
	return func(s *side, _ int, text string) error {
		got, err := s.talk.Found(s.dir, text)
		if err != nil {
			return err
		}
		all, err := walk(s.dir)
		want := slices.DeleteFunc(all, func(path string) bool { return !strings.HasSuffix(path, suffix) })
		return same(s.name, got, want, err)
	}
}

func same(name string, got, want []string, err error) error {
	slices.Sort(got)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("%s returns %d names, and there are %d: %.300s", name, len(got), len(want), strings.Join(got, " "))
	}
	return err
}
