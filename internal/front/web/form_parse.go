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

// maxForm is how many bytes a form may have.
const maxForm = 64 << 10

// formOf reads the body of a form. Other bodies are those of no page of this site.
func formOf(w http.ResponseWriter, r *http.Request) (url.Values, *page) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refusedForm(http.StatusUnsupportedMediaType, "this is not a form", "Use the page.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err = r.ParseForm()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, refusedForm(http.StatusRequestEntityTooLarge, fmt.Sprintf("the form has more than %d bytes", maxForm), "Write less into it.")
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refusedForm(http.StatusRequestTimeout, fmt.Sprintf("the form did not come within %s", sendTime), "Send it again.")
	case err != nil:
		return nil, refusedForm(http.StatusBadRequest, "the form cannot be read", "Open the page again.")
	}
	return asWritten(r.PostForm), nil
}

// asWritten takes back what a browser does to the ends of lines in a field.
func asWritten(form url.Values) url.Values {
	for _, values := range form {
		for i := range values {
			values[i] = strings.ReplaceAll(values[i], "\r\n", "\n")
		}
	}
	return form
}

func refusedForm(status int, words, next string) *page { return new(plainly(status, words, next)) }
