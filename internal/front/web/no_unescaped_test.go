package web

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestNothingUnescaped: no Go source tells html/template that a value is safe, no page has an inline script or style, and no
// script makes markup of text or reaches another host.
func TestNothingUnescaped(t *testing.T) {
	forbidden := map[string]*regexp.Regexp{
		".go":   regexp.MustCompile(`template\.(HTML|HTMLAttr|JS|JSStr|CSS|URL|Srcset)\b|"text/template"|http://[a-z]|https://[a-z]`),
		".tmpl": regexp.MustCompile(`(?i)<script(?:>|[^>]*>[^<])|<style|\sstyle=|\son[a-z]+=|javascript:|https?://|<iframe|<object|<embed|<base`),
		".js":   regexp.MustCompile(`innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser|setAttribute\("on|https?://|\.cookie`),
		".css":  regexp.MustCompile(`@import|https?://|url\(\s*["']?(?:[a-z]+:|//)|expression\(`),
	}
	seen := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		for ext, bad := range forbidden {
			if !strings.HasSuffix(name, ext) {
				continue
			}
			seen++
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				if found := bad.FindString(line); found != "" && !allowed(name, line) {
					t.Errorf("%s:%d has %q: %s", name, i+1, found, line)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 40 {
		t.Errorf("%d files: %v", seen, err)
	}
}

// allowed reports whether a line only mentions what is forbidden.
func allowed(name, line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "//") || name == "login_session.go" && strings.Contains(line, `"https://"`)
}
