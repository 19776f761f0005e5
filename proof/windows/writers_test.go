package windows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// writerMain counts the number in a file up until a time, and prints each number that it was told it wrote, and "-" where it found no
// file: a system that cannot replace an open file leaves its name to nobody for a moment.
func writerMain() int {
	ctx := context.Background()
	ws, err := emend.Open(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer ws.Close()
	until, _ := strconv.ParseInt(os.Getenv("EMEND_WINDOWS_UNTIL"), 10, 64)
	for time.Now().UnixMilli() < until {
		is, err := ws.Read(ctx, api.ReadRequest{Path: "number"})
		if errors.Is(err, fail.NotFound) {
			fmt.Println("-")
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "read:", err)
			return 1
		}
		n, err := strconv.Atoi(strings.TrimSpace(is.Data.Content))
		if err != nil {
			fmt.Fprintln(os.Stderr, "read:", err)
			return 1
		}
		_, err = ws.Write(ctx, api.WriteRequest{Path: "number", Content: fmt.Sprintln(n + 1), ExpectedSha256: is.Data.Sha256})
		switch {
		case err == nil:
			fmt.Println(n + 1)
		case errors.Is(err, fail.NotFound):
			fmt.Println("-")
		case !errors.Is(err, fail.Stale):
			fmt.Fprintln(os.Stderr, "write:", err)
			if e, ok := errors.AsType[*fail.Error](err); ok && e.Cause != nil {
				fmt.Fprintln(os.Stderr, "cause:", e.Cause)
			}
			return 1
		}
	}
	return 0
}

// 16 processes count one number up. Each number that a process was told it wrote was written once, and the last one is in the file.
func TestWriters(t *testing.T) {
	const processes = 16
	p := newPlace(t, map[string]string{"number": "0\n"})
	p.do("edit", "number", "--old", "0", "--new", "00") // makes the store
	p.do("edit", "number", "--old", "00", "--new", "0")
	during := 4 * time.Second
	if text := os.Getenv("EMEND_WINDOWS_WRITING"); text != "" {
		var err error
		during, err = time.ParseDuration(text)
		must(t, err)
	}
	until := time.Now().Add(during + 2*time.Second).UnixMilli() // starting takes a while
	ctx, cancel := context.WithTimeout(t.Context(), during+3*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	outs, errs := make([]bytes.Buffer, processes), make([]bytes.Buffer, processes)
	for i := range processes {
		cmd := p.command(ctx)
		cmd.Env = append(cmd.Env, roleVar+"=writer", fmt.Sprintf("EMEND_WINDOWS_UNTIL=%d", until))
		cmd.Stdout, cmd.Stderr = &outs[i], &errs[i]
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("writer %d: %v: %s", i, err, errs[i].String())
			}
		})
	}
	wg.Wait()
	wrote, by, absent := map[int]int{}, 0, 0
	for i := range outs {
		numbers := strings.Fields(outs[i].String())
		if len(numbers) > 0 {
			by++
		}
		for _, text := range numbers {
			if text == "-" {
				absent++
				continue
			}
			n, err := strconv.Atoi(text)
			must(t, err)
			wrote[n]++
		}
	}
	for n, times := range wrote {
		if times != 1 {
			t.Errorf("%d was written %d times", n, times)
		}
	}
	if last := strings.TrimSpace(p.tree()["number"]); last != strconv.Itoa(len(wrote)) || len(wrote) == 0 {
		t.Errorf("the file has %s, and %d writes were acknowledged", last, len(wrote))
	}
	if weaker := strings.Contains(p.do("doctor"), "has no name for a moment"); absent > 0 && !weaker {
		t.Errorf("%d times there was no file, and doctor says nothing of that", absent)
	}
	p.do("verify")
	t.Logf("%d processes, %d acknowledged writes by %d of them, each once; %d times the file had no name", processes, len(wrote), by, absent)
}
