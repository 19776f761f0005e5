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

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/bench/internal/growing"
)

// makeCalls makes a workspace with so many calls, each of two records: of first.txt, and then of 200 files in turn, in
// sessions of 50. The first has an idempotency key.
func makeCalls(dir string, calls int) error {
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		return err
	}
	defer ws.Close()
	sums := make([]string, 200)
	for i := range calls {
		ctx := emend.WithActor(context.Background(), api.Actor{Session: fmt.Sprint("s", i/50), Agent: "bench"})
		text := fmt.Sprintln("call", i)
		name, file := fmt.Sprintf("d%d/f%d", i%10, i%200), &sums[i%200]
		switch {
		case i == 0:
			_, err = ws.Apply(ctx, firstPatch, api.PatchOptions{IdempotencyKey: "first"})
		case *file == "":
			_, err = ws.Create(ctx, api.CreateRequest{Path: name, Content: text, CreateParentDirectories: true})
		default:
			_, err = ws.Write(ctx, api.WriteRequest{Path: name, Content: text, ExpectedSha256: *file})
		}
		if err != nil {
			return err
		}
		if i > 0 {
			*file = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
	}
	return nil
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
	b.page.WriteString("\n## Questions about a part of the log\n\nEach is a process of its own. What is asked for is at the beginning of the log, except for the last change.\n\n" +
		"| question | records | program | seconds | peak MB | exponent |\n|---|---|---|---|---|---|\n")
	rows := map[string][]string{}
	var order []string
	before := map[string]float64{}
	for i, n := range sizes {
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
				took, peak, err := b.timer.Time(p)
				if err != nil {
					return fmt.Errorf("%s: %w", q.what, err)
				}
				key := q.what + p.Name
				if i == 0 {
					order = append(order, key)
				}
				rows[key] = append(rows[key], fmt.Sprintf("| %s | %d | %s | %s | %.0f | %s |\n", q.what, n, p.Name, growing.Seconds(took), peak, growing.Exponent(before[key], took, i, sizes)))
				before[key] = took
			}
		}
		os.RemoveAll(dir)
	}
	for _, key := range order {
		b.page.WriteString(strings.Join(rows[key], ""))
	}
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
	if err := errors.Join(err, ws.Close()); err != nil {
		return nil, err
	}
	if len(first.Calls) != 1 {
		return nil, fmt.Errorf("%d calls made first.txt", len(first.Calls))
	}
	entry := first.Calls[0].Entry
	hit, miss := filepath.Join(b.scratch, "hit.patch"), filepath.Join(b.scratch, "miss.patch")
	if err := errors.Join(os.WriteFile(hit, []byte(firstPatch), 0o644), os.WriteFile(miss, []byte(nowhere), 0o644)); err != nil {
		return nil, err
	}
	refused := b.programs(dir, "apply", "--idempotency-key", "another", miss)
	for i := range refused {
		refused[i].Exit = 1
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return []question{
		{"history of a file", b.programs(dir, "log", "--path", "first.txt")},
		{"history of a session", b.programs(dir, "log", "--session", "s0")},
		{"the newest 50 entries", b.programs(dir, "log")},
		{"show an entry", b.programs(dir, "show", entry)},
		{"undo the oldest entry", b.programs(dir, "undo", "--dry-run", entry)},
		{"undo the last change", b.programs(dir, "undo", "--dry-run")},
		{"an idempotency key that is there", b.programs(dir, "apply", "--idempotency-key", "first", hit)},
		{"one that is not, and a refusal", refused},
		{"a page in the middle of the timeline", []growing.Program{{Name: "emend", Args: []string{self, "page", dir, strconv.Itoa(records / 2)}}}},
	}, nil
}
