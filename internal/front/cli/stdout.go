package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/emend-dev/emend/internal/report"
)

// output is standard output. It remembers the first error, so that no verb has to look whether its answer was printed;
// after it nothing more is written.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(b)
	o.err = err
	return n, err
}

// under is the writer that w writes to.
func under(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.Writer
	}
	return w
}

// end says that the answer could not be printed, if it could not, and returns the exit code of a run that ended with
// err. Done is done: any other exit code than 0 would say that it is not. A reader who has had enough of an answer is
// told nothing.
func (a *app) end(o *output, err error) int {
	unprinted := o.err != nil
	what := "the result"
	if a.did {
		what = "it is done, but the answer"
	}
	if unprinted && (a.did || !errors.Is(o.err, syscall.EPIPE)) {
		fmt.Fprintf(a.err, "emend: %s could not be printed: %s\n", what, report.Escape(o.err.Error()))
	}
	if unprinted && errors.Is(err, o.err) {
		err = nil
	}
	if code := exitCode(err); code != exitDone || a.did || !unprinted {
		return code
	}
	return exitRefused
}
