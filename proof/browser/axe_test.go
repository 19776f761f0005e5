package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emend-dev/emend/proof/npm"
)

// axe returns the source of axe-core, which checks the accessibility of a page.
var axe = sync.OnceValues(func() (string, error) {
	dir, err := npm.Install(context.Background(), filepath.Join("testdata", "axe"))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(text), err
})

// judge runs every rule of WCAG 2.2 AA, and axe's best practices.
const judge = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	rules: {"target-size": {enabled: true}},
	resultTypes: ["violations"],
}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + " (" + v.impact + "): " + n.target.join(" ") + "\n    " +
	n.html.slice(0, 200) + "\n    " + n.failureSummary.replaceAll("\n", "\n    "))))`

// audit returns what axe finds on the open page.
func (b *tab) audit() []string {
	b.t.Helper()
	text, err := axe()
	if err != nil {
		b.t.Skipf("NOT RUN: axe: %v", err)
	}
	b.do("load axe", evaluate(text))
	return eval[[]string](b, judge)
}

// TestAxe audits every page, full and empty, in each colour scheme and at each width.
func TestAxe(t *testing.T) {
	t.Parallel()
	b := storyWindow(t)
	b.auditAll(storyPages(b))
}

func TestAxeEmpty(t *testing.T) {
	t.Parallel()
	s := shop(t).ui()
	s.pages(t).auditAll(emptyPages)
	out := window(t, s.base+"/ui/")
	out.expect("401")
	out.auditAll([]pageState{{"login", "login", "input[name=token]"}})
}

// auditAll audits every page on every screen. With -short it audits each page on one screen, and the screens take turns.
func (b *tab) auditAll(places []pageState) {
	b.t.Helper()
	audits := 0
	for i, s := range screens {
		b.setScreen(s)
		for j, p := range places {
			if testing.Short() && j%len(screens) != i {
				continue
			}
			audits++
			b.show(p)
			if found := b.audit(); len(found) > 0 {
				b.t.Errorf("axe: %s, %s:\n%s", p.name, s.name, strings.Join(found[:min(len(found), 5)], "\n"))
			}
		}
	}
	b.t.Logf("axe: %d audits of %d pages on %d screens, all rules of WCAG 2.2 AA and best practice", audits, len(places), len(screens))
}

// TestAxeComplains audits a bad page, which must have findings.
func TestAxeComplains(t *testing.T) {
	b := shop(t).ui().pages(t)
	b.expect("FormEmptyIdAndName")
	b.do("spoil the page", evaluate(`document.documentElement.removeAttribute("lang"); document.querySelector("main").append(document.createElement("input"))`))
	found := strings.Join(b.audit(), "\n")
	for _, rule := range []string{"html-has-lang", "label"} {
		if !strings.Contains(found, rule) {
			t.Errorf("axe does not see %s, only:\n%s", rule, found)
		}
	}
}

// TestWidths checks that no page is wider than the screen at 320 and 640 pixels, which is what 1280 pixels are when zoomed to
// 400 % and 200 %.
func TestWidths(t *testing.T) {
	t.Parallel()
	b := storyWindow(t)
	places := storyPages(b)
	for _, width := range []int64{320, 640} {
		b.setScreen(screen{width: width, height: 800})
		for _, p := range places {
			b.show(p)
			wide := eval[int64](b, "document.scrollingElement.scrollWidth")
			if wide > width {
				b.t.Errorf("%s is %d pixels wide on a screen of %d: %s", p.name, wide, width, eval[string](b, fmt.Sprintf(widest, width)))
			}
		}
	}
}

// widest names the elements that are wider than the screen, without those that scroll on their own.
const widest = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > %d &&
	!e.parentElement.closest("*:is(pre, .scroll, [tabindex])")).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join(" | ")`
