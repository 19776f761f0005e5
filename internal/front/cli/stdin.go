package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
)

// interruptibleReader reads until it is told to stop: who presses Ctrl-C is not kept waiting for the end of standard input.
type interruptibleReader struct {
	interrupted <-chan struct{}
	r           io.Reader
	buf         []byte // of the read in hand, which may outlive the patience with it
}

// stdin is standard input, until Ctrl-C.
func (a *app) stdin() io.Reader { return &interruptibleReader{interrupted: a.interrupted, r: a.in} }

func (p *interruptibleReader) Read(b []byte) (int, error) {
	if p.buf == nil {
		p.buf = make([]byte, 1<<16)
	}
	type got struct {
		n   int
		err error
	}
	buf, done := p.buf[:min(len(b), len(p.buf))], make(chan got, 1)
	go func() {
		n, err := p.r.Read(buf)
		done <- got{n, err}
	}()
	select {
	case g := <-done:
		return copy(b, buf[:g.n]), g.err
	case <-p.interrupted:
		p.buf = nil
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "interrupted; nothing was changed"}
	}
}

// promptForInput tells a person at a terminal to type; Ctrl-C is heeded from then on.
func (a *app) promptForInput(what, it string) {
	if !a.ttyIn {
		return
	}
	a.interruptReady.Wait()
	if !a.quiet {
		fmt.Fprintf(a.err, "emend: reading %s from the terminal; end %s with Ctrl-D\n", what, it)
	}
}

// readPatch reads the argument FILE, or standard input without one or for "-".
func (a *app) readPatch(args []string, most int64) (text string, err error) {
	if len(args) == 0 || args[0] == "-" {
		a.promptForInput("a patch", "it")
		text, err = readText(a.stdin(), fileSize(a.in), most)
	} else {
		text, err = readFile(args[0], most)
	}
	if errors.Is(err, fail.CommandFailed) {
		return "", err
	}
	if err != nil {
		return "", &usageError{"", err}
	}
	return text, nil
}

// readContent reads the content of a file from standard input.
func (a *app) readContent(cmd *cobra.Command, what string, into *string) error {
	a.promptForInput(what, "it")
	most := emend.DefaultLimits.FileBytes
	b, err := readAll(a.stdin(), most)
	if err == nil && int64(len(b)) > most {
		err = usageErrorf(cmd.Name(), "standard input has over %s, and that is the most that one file may have", formatSize(most))
	}
	*into = string(b)
	return err
}

func readFile(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readText(f, fileSize(f), most)
}

// readText reads what has about size bytes; memory that has to grow takes as long as parsing.
func readText(r io.Reader, size, most int64) (string, error) {
	var text strings.Builder
	in := limitInput(r, most)
	text.Grow(int(min(size, in.N)))
	_, err := io.Copy(&text, in)
	return text.String(), err
}

func readAll(r io.Reader, most int64) ([]byte, error) { return io.ReadAll(limitInput(r, most)) }

// limitInput is r to its end, or one byte further than is allowed: the engine then says what the limit is.
func limitInput(r io.Reader, most int64) *io.LimitedReader {
	if most <= 0 {
		most = emend.DefaultLimits.PatchBytes
	}
	return &io.LimitedReader{R: r, N: most + 1}
}

// fileSize is how large a file is, and 0 of anything else.
func fileSize(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	is, err := f.Stat()
	if err != nil || !is.Mode().IsRegular() {
		return 0
	}
	return is.Size()
}
