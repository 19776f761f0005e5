package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/spf13/cobra"
)

// interruptibleReader reads from r until it is interrupted. Ctrl-C ends a read that blocks.
type interruptibleReader struct {
	interrupted <-chan struct{}
	r           io.Reader
	buf         []byte // of the pending read, which may go on after an interrupt
}

// stdin returns standard input, which ends at Ctrl-C.
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
	panics.Go(func() {
		var g got
		g.err = panics.Call(func() (err error) { g.n, err = p.r.Read(buf); return err })
		done <- g
	}, func(*panics.Value) {})
	select {
	case g := <-done:
		return copy(b, buf[:g.n]), g.err
	case <-p.interrupted:
		p.buf = nil
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "interrupted; nothing was changed"}
	}
}

// promptForInput tells a person at a terminal to type. From then on Ctrl-C is handled.
func (a *app) promptForInput(what, it string) {
	if !a.ttyIn {
		return
	}
	a.interruptReady.Wait()
	if !a.quiet {
		fmt.Fprintf(a.err, "emend: reading %s from the terminal; end %s with Ctrl-D\n", what, it)
	}
}

// readPatch reads the file that args names. Without one, or for "-", it reads standard input.
func (a *app) readPatch(args []string, limit int64) (text string, err error) {
	if len(args) == 0 || args[0] == "-" {
		a.promptForInput("a patch", "it")
		text, err = readText(a.stdin(), fileSize(a.in), limit)
	} else {
		text, err = readFile(args[0], limit)
	}
	if errors.Is(err, fail.CommandFailed) {
		return "", err
	}
	if err != nil {
		return "", &usageError{"", err}
	}
	return text, nil
}

// readContent reads the content of one file from standard input.
func (a *app) readContent(cmd *cobra.Command, what string, into *string) error {
	a.promptForInput(what, "it")
	limit := api.DefaultLimits.FileBytes
	b, err := readAll(a.stdin(), limit)
	if err == nil && int64(len(b)) > limit {
		err = usageErrorf(cmd.Name(), "standard input has over %s, and that is the most that one file may have", formatSize(limit))
	}
	*into = string(b)
	return err
}

func readFile(name string, limit int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readText(f, fileSize(f), limit)
}

// readText reads text of about size bytes. It allocates once: growing a buffer takes as long as parsing.
func readText(r io.Reader, size, limit int64) (string, error) {
	var text strings.Builder
	in := limitInput(r, limit)
	text.Grow(int(min(size, in.N)))
	_, err := io.Copy(&text, in)
	return text.String(), err
}

func readAll(r io.Reader, limit int64) ([]byte, error) { return io.ReadAll(limitInput(r, limit)) }

// limitInput reads r to its end, but at most one byte more than the limit. The engine then refuses the text by its
// size.
func limitInput(r io.Reader, limit int64) *io.LimitedReader {
	if limit <= 0 {
		limit = api.DefaultLimits.PatchBytes
	}
	return &io.LimitedReader{R: r, N: limit + 1}
}

// fileSize returns the size of a regular file, and 0 for anything else.
func fileSize(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
