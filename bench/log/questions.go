package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/bench/internal/growing"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// realCalls is the number of calls of [makeCalls] at each end of the log that the engine really makes.
const realCalls = 400

// makeCalls makes a workspace with so many calls, each of two records: of first.txt, of undone.txt, and then of 200 files in turn,
// in sessions of 50. The first has an idempotency key; the last undoes the second. Between the first realCalls and the last, the
// calls are only in the log, with records like those of the others: what is asked reads the log, and the oldest and newest files.
func makeCalls(dir string, calls int) error {
	c := &caller{dir: dir, sums: make([]string, 200)}
	if calls <= 2*realCalls {
		return c.make(0, calls, true)
	}
	if err := c.make(0, realCalls, false); err != nil {
		return err
	}
	if err := c.log(realCalls, calls-realCalls); err != nil {
		return err
	}
	return c.make(calls-realCalls, calls, true)
}

// caller makes the calls of a tree.
type caller struct {
	dir    string
	sums   []string // of the files
	undone string   // the entry that made undone.txt
}

func pathOfCall(i int) string    { return fmt.Sprintf("d%d/f%d", i%10, i%200) }
func sessionOfCall(i int) string { return fmt.Sprint("s", i/50) }

// make makes calls, the last of all with last.
func (c *caller) make(from, to int, last bool) error {
	ws, err := emend.Open(c.dir, emend.NoSync())
	if err != nil {
		return err
	}
	defer ws.Close()
	for i := from; i < to; i++ {
		ctx := emend.WithActor(context.Background(), api.Actor{Session: sessionOfCall(i), Agent: "bench"})
		text := fmt.Sprintln("call", i)
		file := &c.sums[i%200]
		switch {
		case i == 0:
			_, err = ws.Apply(ctx, firstPatch, api.PatchOptions{IdempotencyKey: "first"})
		case i == 1:
			var rep *emend.Report
			if rep, err = ws.Apply(ctx, strings.ReplaceAll(firstPatch, "first", "undone"), api.PatchOptions{}); err == nil {
				c.undone = rep.Tx
			}
		case last && i == to-1:
			_, err = ws.Undo(ctx, api.UndoRequest{Entry: c.undone})
		case *file == "":
			_, err = ws.Create(ctx, api.CreateRequest{Path: pathOfCall(i), Content: text, CreateParentDirectories: true})
		default:
			_, err = ws.Write(ctx, api.WriteRequest{Path: pathOfCall(i), Content: text, ExpectedSha256: *file})
		}
		if err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if i > 1 {
			*file = sum(text)
		}
	}
	return nil
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// log appends the records of calls that are not made, each like the newest in the log.
func (c *caller) log(from, to int) error {
	dir, err := vfs.Open(filepath.Join(c.dir, ".emend/log"))
	if err != nil {
		return err
	}
	defer dir.Close()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		return err
	}
	var like *audit.Record
	for r, err := range log.Backward() {
		if err != nil {
			return err
		}
		if r.Kind == audit.Commit {
			like = r
			break
		}
	}
	for i := from; i < to; i++ {
		r, op, act := *like, like.Ops[0], like.Acts[0]
		before, after := sum(fmt.Sprintln("call", i-200)), sum(fmt.Sprintln("call", i))
		r.Tx, r.Actor.Session = history.NewID(time.Now()), sessionOfCall(i)
		op.Path, op.Before, op.After = pathOfCall(i), before, after
		act.Path, act.Old, act.New = pathOfCall(i), &audit.Ident{Ino: act.Old.Ino, Sum: before, Size: act.Old.Size, Mode: act.Old.Mode},
			&audit.Ident{Ino: act.New.Ino, Sum: after, Size: act.New.Size, Mode: act.New.Mode}
		r.Ops, r.Acts = []audit.Op{op}, []audit.Act{act}
		if i == (from+to)/2 {
			r.Idem = "middle"
		}
		if err := log.AppendAll([]*audit.Record{&r}, false); err != nil {
			return err
		}
		if err := log.AppendAll([]*audit.Record{{Kind: audit.Applied, Tx: r.Tx, OK: true}}, false); err != nil {
			return err
		}
	}
	return log.Close()
}

const (
	firstPatch = "*** Begin Patch\n*** Add File: first.txt\n+first\n*** End Patch\n"
	nowhere    = "*** Begin Patch\n*** Update File: first.txt\n@@\n-nothing like it\n+second\n*** End Patch\n"
)

// page reads a page of the timeline that ends before a record.
func page(dir, before string) error {
	n, err := strconv.ParseUint(before, 10, 64)
	if err != nil {
		return err
	}
	ws, err := emend.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	t, err := ws.Timeline(context.Background(), api.TimelineRequest{Before: n})
	if err == nil && len(t.Calls) < 50 {
		err = fmt.Errorf("a page of %d calls", len(t.Calls))
	}
	return err
}

// questions times what asks for a part of the log, each in a process of its own.
func (b *bench) questions(ctx context.Context, sizes []int) error {
	t := &table{title: "Questions about a part of the log", unit: "records", growth: constant, memory: true, most: 0.020,
		about: "What is asked for is at the beginning of the log, except for the last change and the newest entries. Of the longer logs the first and the last\n" +
			"400 calls were made, and those between are only in the log."}
	for _, n := range sizes {
		dir, err := b.tree(ctx, "calls", n)
		if err != nil {
			return err
		}
		questions, err := b.questionsOf(dir, n)
		if err != nil {
			return err
		}
		for _, q := range questions {
			for _, p := range q.programs {
				if err := b.time(t, q.what, n, p); err != nil {
					return err
				}
			}
		}
		os.RemoveAll(dir)
	}
	b.page.WriteString(t.String())
	return nil
}

type question struct {
	what     string
	programs []growing.Program
}

func (b *bench) questionsOf(dir string, records int) ([]question, error) {
	ws, err := emend.Open(dir)
	if err != nil {
		return nil, err
	}
	first, err := ws.Timeline(context.Background(), api.TimelineRequest{Path: "first.txt"})
	if err != nil {
		return nil, err
	}
	undone, err := ws.Timeline(context.Background(), api.TimelineRequest{Path: "undone.txt"})
	if err := errors.Join(err, ws.Close()); err != nil {
		return nil, err
	}
	if len(first.Calls) != 1 {
		return nil, fmt.Errorf("%d calls made first.txt", len(first.Calls))
	}
	if len(undone.Calls) != 2 || undone.Calls[1].UndoneBy == "" {
		return nil, fmt.Errorf("undone.txt is not undone: %+v", undone.Calls)
	}
	entry := first.Calls[0].Entry
	hit, miss := filepath.Join(b.scratch, "hit.patch"), filepath.Join(b.scratch, "miss.patch")
	if err := errors.Join(os.WriteFile(hit, []byte(firstPatch), 0o644), os.WriteFile(miss, []byte(nowhere), 0o644)); err != nil {
		return nil, err
	}
	refusal := func(key string) []growing.Program {
		out := b.programs(dir, "apply", "--idempotency-key", key, miss)
		for i := range out {
			out[i].Exit = 1
		}
		return out
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return []question{
		{"history of a file", b.programs(dir, "log", "--path", "first.txt")},
		{"history of a session", b.programs(dir, "log", "--session", "s0")},
		{"the newest 50 entries", b.programs(dir, "log")},
		{"one tool's calls, which are rare", b.programs(dir, "log", "--tool", "undo")},
		{"show an entry", b.programs(dir, "show", entry)},
		{"what became of an entry that the newest undoes", b.programs(dir, "show", undone.Calls[1].Entry)},
		{"verify what is behind a head", b.programs(dir, "verify", "--since", first.Head.String())},
		{"undo the oldest entry", b.programs(dir, "undo", "--dry-run", entry)},
		{"undo the last change", b.programs(dir, "undo", "--dry-run")},
		{"an idempotency key that is there", b.programs(dir, "apply", "--idempotency-key", "first", hit)},
		{"a key in the middle of the log, of another patch", refusal("middle")},
		{"a key that is not there, and a refusal", refusal("another")},
		{"a page in the middle of the timeline", []growing.Program{{Name: "emend", Args: []string{self, "page", dir, strconv.Itoa(records / 2)}}}},
	}, nil
}
