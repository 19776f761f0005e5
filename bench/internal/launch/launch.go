// Package launch starts and times programs in a small process of its own. The benchmark itself is too large for that: Linux
// counts the memory of the process that starts another one as the other's, and its garbage collector runs at any time.
package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Order is a program to run once. Its output goes to files.
type Order struct {
	Path   string
	Args   []string // including its name
	Dir    string
	Env    []string
	Stdin  string // a file, or "" for none
	Stdout string
	Stderr string
	Limit  time.Duration // 0: none
}

// Done is the result.
type Done struct {
	Took  time.Duration // from before its start until it was waited for
	CPU   time.Duration // processor time, with that of the processes that it waited for
	Peak  int64         // peak memory in bytes; 0 if the system does not tell
	Exit  int
	Slow  bool   // it was killed at the limit
	Error string // it could not be started
}

// Launcher is the process that starts others.
type Launcher struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// Start starts the launcher, a program that calls [Serve].
func Start(ctx context.Context, program string) (*Launcher, error) {
	l := &Launcher{cmd: exec.CommandContext(ctx, program)}
	l.cmd.Stderr = os.Stderr
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.in, l.out = in, json.NewDecoder(bufio.NewReader(out))
	return l, l.cmd.Start()
}

// Run runs a program and waits for it.
func (l *Launcher) Run(o Order) (Done, error) {
	if err := json.NewEncoder(l.in).Encode(o); err != nil {
		return Done{}, err
	}
	var d Done
	if err := l.out.Decode(&d); err != nil {
		return d, fmt.Errorf("the launcher does not answer: %w", err)
	}
	if d.Error != "" {
		return d, errors.New(d.Error)
	}
	return d, nil
}

// End stops the launcher.
func (l *Launcher) End() error {
	l.in.Close()
	return l.cmd.Wait()
}
