//go:build linux

package scenes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestHumansHeld has a program open the file once and save into the same descriptor ever after, even when the name has long
// belonged to another file. Nobody can redirect it. The promise is that the bytes it wrote last are kept: under the name, or in
// the store as what the agent replaced.
func TestHumansHeld(t *testing.T) {
	saves := number(t, "EMEND_SCENES_SAVES", 2000)
	d := newDesk(t)
	d.saveHeld(t, engine, saves)
	at, err := d.find(saves)
	if err != nil {
		t.Fatal(err)
	}
	if at == "" {
		t.Errorf("the last of %d saves is neither under its name nor in the store", saves)
	}
	t.Logf("held open: %d saves, the last is kept in %s; agent landed %d, refused %d",
		saves, at, d.landed.Load(), d.refused.Load())
}

// TestHumansHeldRig checks that the scene detects an agent that keeps nothing.
func TestHumansHeldRig(t *testing.T) {
	d := newDesk(t)
	d.saveHeld(t, blindAgent, 500)
	if at, err := d.find(500); at != "" || err != nil {
		t.Errorf("the last save is in %s beside an agent that renames blindly (%v); the scene proves nothing", at, err)
	}
}

// saveHeld saves beside an agent, always into the file that was there first. After the last save the agent may change the file once
// more.
func (d *sharedPage) saveHeld(t *testing.T, a agent, saves int) {
	t.Helper()
	f, err := os.OpenFile(d.name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, stop := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if err := d.agent(ctx, a); err != nil {
			t.Errorf("the agent: %v", err)
		}
	}()
	for n := range saves {
		if err := saveInto(f, page{human: n + 1}); err != nil {
			t.Error(err)
			break
		}
		if n%50 == 0 || n == saves-1 {
			d.waitTwoTurns()
		}
	}
	stop()
	<-gone
}

// waitTwoTurns waits until the agent has had two more turns, or has ended.
func (d *sharedPage) waitTwoTurns() {
	for until := d.turns() + 2; d.turns() < until && !d.idle.Load(); {
		runtime.Gosched()
	}
}

func saveInto(f *os.File, p page) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	s := p.String()
	_, first := f.WriteAt([]byte(s[:len(s)/2]), 0)
	_, second := f.WriteAt([]byte(s[len(s)/2:]), int64(len(s)/2))
	return errors.Join(first, second)
}

// find returns where the person's save is: under its name, or elsewhere in the workspace, including the store.
func (d *sharedPage) find(save int) (at string, err error) {
	err = filepath.WalkDir(d.ws.Root(), func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if p, whole := parsePage(string(data)); whole && p.human == save && (at == "" || name == d.name) {
			at, _ = filepath.Rel(d.ws.Root(), name)
		}
		return err
	})
	return at, err
}
