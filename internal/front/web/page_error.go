package web

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/hint"
)

// errorStatuses is the one table from kinds of errors to HTTP statuses.
var errorStatuses = map[fail.Kind]int{
	fail.NotFound:         http.StatusNotFound,
	fail.AlreadyExists:    http.StatusConflict,
	fail.PermissionDenied: http.StatusForbidden,
	fail.OutsideWorkspace: http.StatusForbidden,
	fail.BinaryFile:       http.StatusConflict,
	fail.FileTooLarge:     http.StatusConflict,
	fail.Stale:            http.StatusConflict,
	fail.OldTextNotFound:  http.StatusConflict,
	fail.MultipleMatches:  http.StatusConflict,
	fail.Overlapping:      http.StatusConflict,
	fail.PatchParse:       http.StatusConflict,
	fail.PatchApply:       http.StatusConflict,
	fail.CommandFailed:    http.StatusConflict,
	fail.Timeout:          http.StatusServiceUnavailable,
	fail.Unknown:          http.StatusInternalServerError,
}

// errorView is the data of the page "error": what is wrong, and what to do next.
type errorView struct {
	Title string
	List  []errorLine
	To    *link // where to go on, unless it is the first page
}

type errorLine struct{ Path, Text, Next string }

// errorPageOf is the page of an error. An error of no known kind is a defect, and logged.
func (r *request) errorPageOf(err error) page {
	all := fail.All(err)
	first := all[0]
	status := cmp.Or(errorStatuses[first.Kind], http.StatusInternalServerError)
	switch {
	case first.Kind == fail.CommandFailed && first.Reason == fail.BadArguments:
		status = http.StatusBadRequest
	case status == http.StatusInternalServerError && !errors.Is(err, r.Context().Err()):
		r.site.Log.Error("a page failed", "path", withoutRoot(r.URL.Path), "error", err)
	}
	w := errorView{Title: errorTitles[status]}
	for _, e := range all {
		w.List = append(w.List, errorLine{e.Path, e.Msg, hint.Reader{}.Say(e.Hint)})
	}
	return page{Name: "error", Title: w.Title, Status: status, Data: w}
}

var errorTitles = map[int]string{
	http.StatusBadRequest:            "Bad request",
	http.StatusForbidden:             "Not allowed",
	http.StatusNotFound:              "Not found",
	http.StatusConflict:              "Not possible now",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusInternalServerError:   "A defect in emend",
	http.StatusServiceUnavailable:    "Timed out",
}

// errorPage is the page of an error with words of its own.
func errorPage(status int, words, next string) page {
	return page{Name: "error", Title: errorTitles[status], Status: status, Data: errorView{Title: errorTitles[status], List: []errorLine{{Text: words, Next: next}}}}
}

func notFoundPage(words, next string) page { return errorPage(http.StatusNotFound, words, next) }
