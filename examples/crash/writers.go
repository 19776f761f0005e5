package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// writer is a way to apply a patch.
type writer struct {
	name  string
	apply func(ws *emend.Workspace, text string) error
	heal  func(dir string) error // run on the tree after a kill
}

// writers lists emend first.
var writers = []writer{
	{"emend", commit, recoverTree},
	{"write each file", each(writeOver), nil},
	{"write beside, rename each", each(writeBeside), nil},
}

// each returns a writer that plans the patch and writes every file in turn.
func each(put func(name, data string) error) func(*emend.Workspace, string) error {
	return func(ws *emend.Workspace, text string) error {
		p, err := ws.Plan(context.Background(), text, api.PatchOptions{})
		if err != nil {
			return err
		}
		for _, f := range p.Files() {
			if err := putFile(ws.Root(), f, put); err != nil {
				return err
			}
		}
		return nil
	}
}

func putFile(root string, f emend.File, put func(name, data string) error) error {
	from, to := filepath.Join(root, f.Path), filepath.Join(root, f.To)
	switch f.Op {
	case patch.Delete:
		return os.Remove(from)
	case patch.Move:
		if err := put(to, f.After); err != nil {
			return err
		}
		return os.Remove(from)
	default:
		return put(from, f.After)
	}
}

func writeOver(name, data string) error { return os.WriteFile(name, []byte(data), 0o666) }

func writeBeside(name, data string) error {
	if err := os.WriteFile(name+"~", []byte(data), 0o666); err != nil {
		return err
	}
	return os.Rename(name+"~", name)
}

// roleVar makes this program the process that is killed; its value is the writer's name. The arguments are then the workspace
// and the file with the patch.
const roleVar = "EMEND_CRASH_WRITER"

// workerMain prints that it is ready, waits for a byte, and applies the patch.
func workerMain() int {
	err := work(os.Getenv(roleVar), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func work(name, dir, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString("ready\n"); err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadByte(); err != nil {
		return err
	}
	for _, w := range writers {
		if w.name == name {
			return inWorkspace(dir, func(ws *emend.Workspace) error { return w.apply(ws, string(text)) })
		}
	}
	return fmt.Errorf("no writer is called %q", name)
}

func inWorkspace(dir string, do func(*emend.Workspace) error) error {
	ws, err := emend.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	return do(ws)
}
