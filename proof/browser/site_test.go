package browser

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSite makes the site of the documentation, which checks its links, and audits some of its pages.
func TestSite(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("NOT RUN: the site: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	out, err := exec.CommandContext(t.Context(), "go", "-C", filepath.Join("..", "..", "release"), "run", "./site", "-out", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	b := window(t, server.URL+"/")
	b.auditAll([]pageState{
		{"the site's first page", "", "h1"},
		{"the site's reason", "docs/why.html", "table"},
		{"a guide", "docs/guides/operators.html", "table"},
		{"a page of the documents", "docs/log.html", "table"},
		{"a reference", "reference/tools.html", "table"},
	})
}
