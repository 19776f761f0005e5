package web

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// maxFormBytes limits the size of a form.
const maxFormBytes = 64 << 10

// parseForm reads the body of a form. It refuses other bodies: no page of this site sends any.
func parseForm(w http.ResponseWriter, r *http.Request) (url.Values, *page) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, formErrorPage(http.StatusUnsupportedMediaType, "this is not a form", "Use the page.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	err = r.ParseForm()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, formErrorPage(http.StatusRequestEntityTooLarge, fmt.Sprintf("the form has more than %d bytes", maxFormBytes), "Write less into it.")
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, formErrorPage(http.StatusRequestTimeout, fmt.Sprintf("the form did not come within %s", readTimeout), "Send it again.")
	case err != nil:
		return nil, formErrorPage(http.StatusBadRequest, "the form cannot be read", "Open the page again.")
	}
	return restoreLineEnds(r.PostForm), nil
}

// restoreLineEnds undoes what browsers do to line ends in a field.
func restoreLineEnds(form url.Values) url.Values {
	for _, values := range form {
		for i := range values {
			values[i] = strings.ReplaceAll(values[i], "\r\n", "\n")
		}
	}
	return form
}

func formErrorPage(status int, words, next string) *page { return new(errorPage(status, words, next)) }
