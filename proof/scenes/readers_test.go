//go:build linux

package scenes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend"
)

// notebook is a file whose first line an agent changes while a person appends numbered lines to it. Before each save the person
// reads the file and takes what is there, as an editor does that loads a file again when it changed.
//
// What they read may be the agent's version in the instant before it is taken back, because they had saved in the same moment.
// Then their next save replaces that one. A line is lost if it is in no file and not in the store.
type notebook struct {
	ws   *emend.Workspace
	name string
	work sync.Mutex // held while the agent applies a patch

	landed   atomic.Int64
	refused  int64
	replaced int // saves that the next one replaced, and that the store has
}

// keptLines is how many of their own lines a person leaves in the file.
const keptLines = 40

// TestReaders checks that no line is lost which a person appended to what they had read from a file that an agent changes too.
func TestReaders(t *testing.T) {
	saves := number(t, "EMEND_SCENES_SAVES", 2000)
	for _, way := range []struct {
		name string
		save func(name string, data []byte) error
	}{
		{"atomic", saveByRename},
		{"in-place", func(name string, data []byte) error { return os.WriteFile(name, data, 0o644) }},
	} {
		ws := workspace(t, emend.NoSync()) // the syncs do not belong to the critical moment
		n := &notebook{ws: ws, name: filepath.Join(ws.Root(), "notes.txt")}
		write(t, n.name, "agent 0\n")
		ctx, stop := context.WithCancel(t.Context())
		var agent sync.WaitGroup
		agent.Go(func() {
			if err := n.agent(ctx); err != nil {
				t.Errorf("the agent beside %s saves: %v", way.name, err)
			}
		})
		lost, err := n.person(saves, int64(saves/100), way.save)
		stop()
		agent.Wait()
		if err != nil {
			t.Fatalf("%s saves: %v", way.name, err)
		}
		if lost > 0 {
			t.Errorf("%d lines of %d %s saves are in no file and not in the store", lost, saves, way.name)
		}
		if n.landed.Load() < int64(saves/100) {
			t.Errorf("the agent landed %d patches beside %d %s saves; the scene proves little", n.landed.Load(), saves, way.name)
		}
		t.Logf("readers: %d %s saves, %d lost, %d replaced by the next and kept in the store; agent landed %d, refused %d",
			saves, way.name, lost, n.replaced, n.landed.Load(), n.refused)
	}
}

// person saves so many times, and counts the lines that are lost. On a slow disk few patches of the agent land between two saves: the
// person goes on until so many have landed, or for twenty times the saves.
func (n *notebook) person(saves int, landed int64, save func(name string, data []byte) error) (lost int, err error) {
	agentLine, own, err := n.read()
	if err != nil {
		return 0, err
	}
	for i := 1; i <= saves || n.landed.Load() < landed && i <= 20*saves; i++ {
		own = append(own, i)
		if len(own) > keptLines {
			own = own[len(own)-keptLines:]
		}
		var text strings.Builder
		text.WriteString(agentLine)
		for _, k := range own {
			text.WriteString(fmt.Sprintf("line %d\n", k))
		}
		if err := save(n.name, []byte(text.String())); err != nil {
			return lost, err
		}
		mine := own
		if agentLine, own, err = n.read(); err != nil {
			return lost, err
		}
		gone, err := n.missing(mine, own)
		if err != nil {
			return lost, err
		}
		lost += gone
	}
	return lost, nil
}

// missing counts those of the saved lines that are not among the lines that were read since, that the file does not have once the
// agent rests, and that the store does not have either.
func (n *notebook) missing(saved, seen []int) (lost int, err error) {
	has := map[int]bool{}
	for _, k := range seen {
		has[k] = true
	}
	for _, k := range saved {
		if has[k] {
			continue
		}
		at, err := n.find(fmt.Sprintf("line %d\n", k))
		if err != nil {
			return lost, err
		}
		switch at {
		case "":
			lost++
		default:
			n.replaced++
		}
	}
	return lost, nil
}

// read reads the file until the agent's line and the person's lines are whole: the person has no half of a line.
func (n *notebook) read() (agentLine string, own []int, err error) {
	data, err := os.ReadFile(n.name)
	if err != nil {
		return "", nil, err
	}
	agentLine, rest, _ := strings.Cut(string(data), "\n")
	for line := range strings.Lines(rest) {
		k, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(line, "line "), "\n"))
		if err != nil {
			return "", nil, fmt.Errorf("%q is no line of the file: %w", line, err)
		}
		own = append(own, k)
	}
	return agentLine + "\n", own, nil
}

// find returns a file of the workspace or of the store that has the line, while the agent rests.
func (n *notebook) find(line string) (at string, err error) {
	n.work.Lock()
	defer n.work.Unlock()
	err = filepath.WalkDir(n.ws.Root(), func(name string, e fs.DirEntry, err error) error {
		if err != nil || at != "" || !e.Type().IsRegular() || filepath.Ext(name) == ".jsonl" || filepath.Ext(name) == ".diff" {
			return err
		}
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if strings.Contains("\n"+string(data), "\n"+line) {
			at = name
		}
		return err
	})
	return at, err
}

// agent increments the number on its line until ctx ends.
func (n *notebook) agent(ctx context.Context) error {
	for ctx.Err() == nil {
		data, err := os.ReadFile(n.name)
		if err != nil {
			return err
		}
		first, _, whole := strings.Cut(string(data), "\n")
		k, err := strconv.Atoi(strings.TrimPrefix(first, "agent "))
		if !whole || err != nil {
			continue // in the middle of a save in place
		}
		switch err := n.turn(k); {
		case err == nil:
			n.landed.Add(1)
		case isStale(err):
			n.refused++
		default:
			return err
		}
	}
	return nil
}

func (n *notebook) turn(k int) error {
	n.work.Lock()
	defer n.work.Unlock()
	return engine(context.Background(), n.ws, envelope("*** Update File: notes.txt", "@@", fmt.Sprintf("-agent %d", k), fmt.Sprintf("+agent %d", k+1)))
}
