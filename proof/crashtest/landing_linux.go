package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lander is emend as it lands what a command did over a layer. The command is this program.
type lander struct{ *emend }

// write runs a command that does transaction t.
func (l *lander) write(t int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	_, err = l.run("", "run", "--mode", "overlay", "--", self, putArgument, fmt.Sprint(l.Seed), fmt.Sprint(l.T), fmt.Sprint(t))
	return err
}

func (l *lander) recovered(m mark) (int, []error) { return l.recoveredBy(l, m) }

// put is the command: it writes file by file, and makes directories that are ignored anew, as builds do.
func put(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("%s wants a seed, how many transactions there are, and which of them", putArgument)
	}
	var n [3]int
	for i, a := range args {
		var err error
		if n[i], err = strconv.Atoi(a); err != nil {
			return err
		}
	}
	w, t := newWork(uint64(n[0]), n[1]), n[2]
	w.addBuilds()
	built := []string{}
	for p, e := range w.trees[t] {
		if e.mode.IsDir() && isBuilt(p) && !strings.Contains(p, "/") {
			built = append(built, p)
		}
	}
	for _, p := range built {
		if err := os.RemoveAll(filepath.FromSlash(p)); err != nil {
			return err
		}
	}
	from := tree{}
	for p, e := range w.trees[t] {
		if !isBuilt(p) {
			from[p] = e
		}
	}
	writer := &naive{work: &work{trees: []tree{from, w.trees[t+1]}}, dir: ".", put: os.WriteFile}
	return writer.write(0)
}
