// Command least is a server on the protocol's library that edits files and does nothing else: no checks of paths, no history, no
// undo, no recovery. What it takes for an edit is the least that a server on this library takes, and bounds what emend could do.
//
//	least answer DIR     # only answers
//	least unsynced DIR   # writes another file and renames it over the first
//	least durable DIR    # the same, synced, with a record in a log; edits that come together share the sync of the log and of directories
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// edit is the arguments of a call, as emend's edit_file has them.
type edit struct {
	Path           string
	ExpectedSha256 string
	Edits          []struct{ OldText, NewText string }
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: least answer|unsynced|durable DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "least:", err)
		os.Exit(1)
	}
}

func run(what, dir string) error {
	log, err := os.Create(filepath.Join(filepath.Dir(dir), "least.log"))
	if err != nil {
		return err
	}
	w := &writer{dir: dir, log: log, waiting: make(chan *change, 1024)}
	do := func(edit) error { return nil }
	switch what {
	case "unsynced":
		do = w.unsynced
	case "durable":
		do = w.durable
		go w.commitGroups()
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "least", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "edit_file", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var e edit
		if err := json.Unmarshal(r.Params.Arguments, &e); err != nil {
			return nil, err
		}
		if err := do(e); err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "edited " + e.Path}}}, nil
	})
	return s.Run(context.Background(), &sdk.StdioTransport{})
}

// writer changes the files of a tree.
type writer struct {
	dir     string
	log     *os.File
	waiting chan *change
}

// change is a new content in a file beside the one that it is to replace.
type change struct {
	name, staged string
	done         chan error
}

// stage writes the new content of a file beside it.
func (w *writer) stage(e edit, synced bool) (*change, error) {
	c := &change{name: filepath.Join(w.dir, e.Path), done: make(chan error, 1)}
	c.staged = c.name + ".new"
	text, err := os.ReadFile(c.name)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != e.ExpectedSha256 {
		return nil, fmt.Errorf("%s has changed", e.Path)
	}
	after := string(text)
	for _, x := range e.Edits {
		after = strings.Replace(after, x.OldText, x.NewText, 1)
	}
	f, err := os.OpenFile(c.staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.WriteString(after); err != nil || !synced {
		return c, err
	}
	return c, f.Sync()
}

func (w *writer) unsynced(e edit) error {
	c, err := w.stage(e, false)
	if err != nil {
		return err
	}
	return os.Rename(c.staged, c.name)
}

func (w *writer) durable(e edit) error {
	c, err := w.stage(e, true)
	if err != nil {
		return err
	}
	w.waiting <- c
	return <-c.done
}

// commitGroups commits all changes that wait, again and again.
func (w *writer) commitGroups() {
	for first := range w.waiting {
		group := []*change{first}
		for len(group) < 64 && len(w.waiting) > 0 {
			group = append(group, <-w.waiting)
		}
		err := w.commit(group)
		for _, c := range group {
			c.done <- err
		}
	}
}

func (w *writer) commit(group []*change) error {
	var records strings.Builder
	dirs := map[string]bool{}
	for _, c := range group {
		fmt.Fprintf(&records, "{\"staged\":%q,\"name\":%q}\n", c.staged, c.name)
		dirs[filepath.Dir(c.name)] = true
	}
	if _, err := w.log.WriteString(records.String()); err != nil {
		return err
	}
	if err := w.log.Sync(); err != nil {
		return err
	}
	for _, c := range group {
		if err := os.Rename(c.staged, c.name); err != nil {
			return err
		}
	}
	return syncAll(dirs)
}

// syncAll syncs directories, 16 at once.
func syncAll(dirs map[string]bool) (err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	turns := make(chan struct{}, 16)
	for dir := range dirs {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			f, ferr := os.Open(dir)
			if ferr == nil {
				ferr = f.Sync()
				f.Close()
			}
			mu.Lock()
			defer mu.Unlock()
			if ferr != nil {
				err = ferr
			}
		})
	}
	all.Wait()
	return err
}
