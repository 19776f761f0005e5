//go:build linux

// Command recording records a terminal in which emend is used, as a picture that moves: docs/images/run.svg.
//
//	go -C proof run ./recording -out ../docs/images/run.svg
//
// The commands run, one after the other, in a new repository and a terminal of their own. What they print is what the picture
// shows; only the typing and the pauses are made up.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	out := flag.String("out", "", "the `file` to write; without it the text is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	dir, err := os.MkdirTemp("", "emend-recording-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	steps, err := record(ctx, dir)
	if err != nil {
		return err
	}
	if out == "" {
		for _, s := range steps {
			fmt.Printf("$ %s\n%s", s.command, s.output)
		}
		return nil
	}
	return os.WriteFile(out, draw(steps), 0o644)
}
