package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// printResult prints the text of a result, or the result itself with --json.
func (a *app) printResult(r api.Result) error {
	if a.json {
		return a.printJSON(r)
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintln(a.out, report.Escape(r.Text()))
	return err
}

// printAnswer prints words, or with --json a result that holds data.
func (a *app) printAnswer(words string, data any) error {
	return a.printResult(&report.Object{Ok: true, Output: words, Data: data})
}

func (a *app) printJSON(v any) error {
	return newEncoder(a.out).Encode(v)
}

// printValue prints words, or with --json a value that is no result of a tool.
func (a *app) printValue(v any, words string) error {
	if a.json {
		return a.printJSON(v)
	}
	if !a.quiet {
		fmt.Fprintln(a.out, words)
	}
	return nil
}

// printFound prints the answer of a call that only reads: the result with --json, else what show writes.
func (a *app) printFound(r api.Result, notes []string, show func(*bufio.Writer)) error {
	if a.json {
		return a.buffered(func(w *bufio.Writer) { newEncoder(w).Encode(r) }) //nolint:errcheck // buffered returns it
	}
	if a.quiet {
		return nil
	}
	a.printNotes(notes)
	return a.buffered(show)
}

// buffered writes to standard output through a buffer.
func (a *app) buffered(write func(*bufio.Writer)) error {
	w := bufio.NewWriterSize(a.out, 1<<16)
	write(w)
	return w.Flush()
}

// printRefusal prints a refusal: to standard output with --json, else to standard error. It returns an error that is
// marked as printed.
func (a *app) printRefusal(r *emend.Refusal) error {
	if a.json {
		a.printJSON(r.Result()) //nolint:errcheck // a.out keeps the error
	} else {
		a.explainRefusal(r)
	}
	return errors.Join(errPrinted, r)
}

// printError prints an error of the engine, and returns it marked as printed. It returns any other error as it is.
func (a *app) printError(err error) error {
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	e, ok := errors.AsType[*fail.Error](err)
	if !ok {
		return err
	}
	r := report.New(report.View{ReadOnly: true}, nil, e)
	if a.json {
		a.printJSON(r) //nolint:errcheck // a.out keeps the error
	} else {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(r.Text()))
	}
	return errors.Join(errPrinted, e)
}

// explainRefusal prints the words of the dialect, if they differ, and then each failure with a hint.
func (a *app) explainRefusal(r *emend.Refusal) {
	own, all := r.Result().Text(), r.Explain()
	if own != all {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(own))
	}
	fmt.Fprintf(a.err, "emend: %s\n", all)
}

func (a *app) printNotes(list []string) {
	for _, n := range list {
		fmt.Fprintf(a.err, "emend: note: %s\n", report.Escape(n))
	}
}

// printWarnings prints warnings to standard error.
func (a *app) printWarnings(notes []string) {
	for _, n := range notes {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(n))
	}
}

// noteIf prints a note about a result to standard error if ok is set: that the result was cut, for example.
func (a *app) noteIf(ok bool, format string, args ...any) {
	if ok && !a.json && !a.quiet {
		fmt.Fprintf(a.err, "emend: "+format+"\n", args...)
	}
}

func newEncoder(w io.Writer) *json.Encoder {
	enc := newLineEncoder(w)
	enc.SetIndent("", "  ")
	return enc
}

// newLineEncoder returns an encoder that writes each value on a line of its own.
func newLineEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(terminalSafe{w})
	enc.SetEscapeHTML(false)
	return enc
}

// terminalSafe escapes the characters in JSON that a terminal obeys or does not show. In JSON they occur only in
// strings.
type terminalSafe struct{ io.Writer }

func (p terminalSafe) Write(b []byte) (int, error) {
	var out []byte
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			for _, u := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
		default:
			out = append(out, rest[:n]...)
		}
		rest = rest[n:]
	}
	_, err := p.Writer.Write(out)
	return len(b), err
}
