package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/emend-dev/emend/internal/report"
)

// stickyWriter is standard output. It remembers the first error, so that no verb has to look whether its answer was printed;
// after it nothing more is written.
type stickyWriter struct {
	io.Writer
	err error
}

func (o *stickyWriter) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(b)
	o.err = err
	return n, err
}

// unwrapWriter is the writer that w writes to.
func unwrapWriter(w io.Writer) io.Writer {
	if o, ok := w.(*stickyWriter); ok {
		return o.Writer
	}
	return w
}

// exitWith says that the answer could not be printed, if it could not, and returns the exit code of a run that ended with
// err. Done is done: any other exit code than 0 would say that it is not. A reader who has had enough of an answer is
// told nothing.
func (a *app) exitWith(o *stickyWriter, err error) int {
	unprinted := o.err != nil
	what := "the result"
	if a.done {
		what = "it is done, but the answer"
	}
	if unprinted && (a.done || !errors.Is(o.err, syscall.EPIPE)) {
		fmt.Fprintf(a.err, "emend: %s could not be printed: %s\n", what, report.Escape(o.err.Error()))
	}
	if unprinted && errors.Is(err, o.err) {
		err = nil
	}
	if code := exitCode(err); code != exitDone || a.done || !unprinted {
		return code
	}
	return exitRefused
}
