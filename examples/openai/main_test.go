package main

import (
	"bytes"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/fakeapi"
)

// TestRun runs the program against a fake of the API, whose model makes every kind of call, and one that is refused.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := fakeapi.Lay(dir, fakeapi.Before); err != nil {
		t.Fatal(err)
	}
	api := fakeapi.OpenAI(fakeapi.OpenAIScript...)
	server := httptest.NewServer(api)
	defer server.Close()
	var out bytes.Buffer
	if err := run(t.Context(), client{server.URL + "/v1", "key", "model"}, dir, "Rename fib", &out); err != nil {
		t.Fatal(err)
	}
	results, err := api.Results()
	failed := 0
	for _, a := range results {
		if a.Failed {
			failed++
		}
	}
	if err != nil || failed != 1 || !strings.HasSuffix(out.String(), "\nDone.\n") {
		t.Errorf("%d of the results are refusals: %+v, %v; the program wrote\n%s", failed, results, err, out.String())
	}
	if got, err := fakeapi.Files(dir); err != nil || !maps.Equal(got, fakeapi.OpenAIAfter) {
		t.Errorf("the directory has %q, %v", got, err)
	}
}

// TestRefused checks that the program ends when the API refuses.
func TestRefused(t *testing.T) {
	server := httptest.NewServer(fakeapi.OpenAI())
	defer server.Close()
	err := run(t.Context(), client{server.URL + "/v1", "key", ""}, t.TempDir(), "x", &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "400 Bad Request") {
		t.Error(err)
	}
}
