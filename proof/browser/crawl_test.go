package browser

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryPage follows the links of a workspace that has every kind of call, and reads pages of every kind, with JavaScript
// and without. The browser must not complain.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.story()
	s := w.ui()
	for _, script := range []string{"with", "without"} {
		t.Run(script, func(t *testing.T) {
			b := s.pages(t)
			b.expect("403") // for a file that may not be read
			if script == "without" {
				b.disableScripts()
			}
			t.Logf("crawl: %d pages read %s JavaScript", b.crawl(b.landmarks), script)
		})
	}
}

// perKind is the number of pages of each kind that are read.
const perKind = 2

// crawl follows links below the tab's address, calls look for each page, and returns the number of pages.
func (b *tab) crawl(look func(path string)) (n int) {
	b.t.Helper()
	kinds, known := map[string]int{kindOf(""): 1}, map[string]bool{"": true}
	for todo := []string{""}; len(todo) > 0; n++ {
		path := todo[0]
		todo = todo[1:]
		b.open(path)
		look(path)
		for _, link := range eval[[]string](b, `[...document.querySelectorAll("a[href]")].map(a => new URL(a.getAttribute("href"), location).href)`) {
			to, ok := strings.CutPrefix(link, b.base)
			to, _, _ = strings.Cut(to, "#")
			if kind := kindOf(to); ok && !known[to] && kinds[kind] < perKind && !strings.HasPrefix(to, "patch/") { // which is saved, not shown
				known[to] = true
				kinds[kind]++
				todo = append(todo, to)
			}
		}
	}
	return n
}

var idOf = regexp.MustCompile(`^(change|trash|diff)/.*`)

// kindOf returns the common pattern of the addresses of pages that are made alike.
func kindOf(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	return idOf.ReplaceAllString(u.Path, "$1/") + "?" + strings.Join(slices.Sorted(maps.Keys(u.Query())), "&")
}

// landmarks checks that a page has exactly one of each element that every page has.
func (b *tab) landmarks(path string) {
	b.t.Helper()
	for selector, want := range map[string]int{"header nav[aria-label=Pages]": 1, "main": 1, "h1": 1, "[style]": 0, "script:not([src])": 0, "style": 0} {
		if n := b.count(selector); n != want {
			b.t.Errorf("%s: %d of %s, want %d\n%s", path, n, selector, want, b.state())
		}
	}
}
