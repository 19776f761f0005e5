package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
)

// The exit codes: done, refused and nothing changed, usage, undecided.
const (
	exitDone = iota
	exitRefused
	exitUsage
	exitUndecided
)

// exits is the one table from kinds to exit codes.
var exits = map[fail.Kind]int{
	fail.NotFound:         exitRefused,
	fail.AlreadyExists:    exitRefused,
	fail.PermissionDenied: exitRefused,
	fail.OutsideWorkspace: exitRefused,
	fail.BinaryFile:       exitRefused,
	fail.FileTooLarge:     exitRefused,
	fail.Stale:            exitRefused,
	fail.OldTextNotFound:  exitRefused,
	fail.MultipleMatches:  exitRefused,
	fail.Overlapping:      exitRefused,
	fail.PatchParse:       exitRefused,
	fail.PatchApply:       exitRefused,
	fail.CommandFailed:    exitRefused,
	fail.Timeout:          exitRefused,
	fail.Unknown:          exitRefused,
}

// errSaid stands for a refusal that has been printed.
var errSaid = errors.New("refused")

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if _, ok := errors.AsType[*usage](err); ok {
		return exitUsage
	}
	if e, ok := errors.AsType[*fail.Error](err); ok {
		if e.Kind == fail.CommandFailed && e.Reason == fail.Indeterminate {
			return exitUndecided
		}
		return exits[e.Kind]
	}
	return exitRefused
}

// plain writes JSON on with the characters escaped that a terminal would obey, or not show: they are in strings only.
type plain struct{ io.Writer }

func (p plain) Write(b []byte) (int, error) {
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

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(plain{w})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc
}

// below is the current directory's slash path relative to root.
func below(root string) (string, error) {
	root, err := resolved(root)
	if err != nil {
		return "", err
	}
	here, err := resolved(".")
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, here)
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil // outside: paths are then relative to the root
	}
	return filepath.ToSlash(rel), nil
}

func resolved(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
