package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/emend-dev/emend/internal/report"
)

// stickyWriter keeps the first error and writes nothing after it. No verb has to check whether its output was written.
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

// unwrapWriter returns the writer below a stickyWriter.
func unwrapWriter(w io.Writer) io.Writer {
	if o, ok := w.(*stickyWriter); ok {
		return o.Writer
	}
	return w
}

// exitWith returns the exit code of a run that ended with err. If the answer could not be written, it says so on
// standard error, but not for a closed pipe from which an answer was only read. A change that was made still exits with
// 0: another code would say that it was not made.
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
