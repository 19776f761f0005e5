package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
)

var (
	moreLink = regexp.MustCompile(`<p class="more"><a href="([^"]*)" rel="nofollow">Show ([0-9,]+) more lines?</a></p>`)
	numbers  = regexp.MustCompile(`<td class="num[^"]*" data-n="([0-9]+)"></td><td class="(?:sign|text)`)
)

// next returns the link to further rows, and the number of rows that it names.
func (a answer) next() (address, more string) {
	m := moreLink.FindStringSubmatch(a.body)
	if m == nil {
		return "", ""
	}
	return html.UnescapeString(m[1]), m[2]
}

// numbered returns the numbers of the new lines of a page, in order.
func (a answer) numbered() (out []string) {
	for _, m := range numbers.FindAllStringSubmatch(a.body, -1) {
		out = append(out, m[1])
	}
	return out
}

func longText(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i+1)
	}
	return b.String()
}

// TestMoreRows: the parts of a long diff, and of a long file, are all of it, each row once.
func TestMoreRows(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	tx := p.create("long.txt", longText(3000, "line"))
	first := b.get("/ui/default/change/" + tx)
	first.want(t, http.StatusOK, `<table class="diff unified"`, "+3,000")
	address, more := first.next()
	if more != "2,601" {
		t.Fatalf("%q more lines, want 2,601: the head of the hunk is a row", more)
	}
	seen := first.numbered()
	for address != "" {
		a := b.get(address + "&part=1")
		a.want(t, http.StatusOK, "<table>\n<tbody>")
		if strings.Contains(a.body, "<html") || strings.Contains(a.body, "<caption") {
			t.Errorf("a part has more than rows: %s", a.body)
		}
		seen = append(seen, a.numbered()...)
		address, _ = a.next()
	}
	for i, n := range seen {
		if n != fmt.Sprint(i+1) {
			t.Fatalf("line %d comes after %d lines", i+1, i)
		}
	}
	if len(seen) != 3000 {
		t.Errorf("%d lines, want 3000", len(seen))
	}
	address, _ = first.next()
	rest := b.get(address)
	rest.want(t, http.StatusOK, "<html", "<main", "<h1>Diff of long.txt</h1>", `href="/ui/default/change/`+tx+`"`, `<table class="diff unified"`)
	if n := len(rest.numbered()); n != 2601 {
		t.Errorf("%d lines on the page with the rest, want 2601", n)
	}
	if again, _ := rest.next(); again != "" {
		t.Errorf("the page with the rest has more at %q", again)
	}
}

// TestSameRowsAgain: a page can fetch rows again by their numbers, at most as many as a part has.
func TestSameRowsAgain(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	tx := p.create("long.txt", longText(3000, "line"))
	for query, want := range map[string]string{"from=101&n=50": "101 to 150", "from=2990&n=50": "2990 to 3000", "from=1&n=99999": "1 to 2000",
		"from=1&n=x": "1 to 2000", "from=1&n=-3": "none", "from=1&n=0": "none"} {
		got := "none"
		if n := b.get("/ui/default/diff/" + tx + "?file=0&part=1&" + query).numbered(); len(n) > 0 {
			got = n[0] + " to " + n[len(n)-1]
		}
		if got != want {
			t.Errorf("%s: lines %s, want %s", query, got, want)
		}
	}
}

// TestMoreContent: a long content of the history comes in parts, too.
func TestMoreContent(t *testing.T) {
	p := newTestSite(t, nil, "old.py", longText(1000, "x = '''"))
	b := p.signIn()
	_, err := p.ws.Delete(context.Background(), api.DeleteRequest{Path: "old.py"})
	p.must(err)
	trash, err := p.ws.Trash(context.Background())
	p.must(err)
	a := b.get("/ui/default/trash/" + trash[0].ID)
	a.want(t, http.StatusOK, `<table class="diff content"`)
	if n := len(a.numbered()); n != 400 {
		t.Errorf("%d lines, want 400", n)
	}
	address, more := a.next()
	if more != "600" {
		t.Fatalf("%q more, want 600", more)
	}
	if n := len(b.get(address + "&part=1").numbered()); n != 600 {
		t.Errorf("%d lines, want 600", n)
	}
	b.get(address).want(t, http.StatusOK, "<h1>Content of old.py</h1>", "/ui/default/file?path=old.py")
}

// TestMoreSession: so does a long diff of a session.
func TestMoreSession(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	p.create("long.txt", longText(600, "line"))
	address, more := b.get("/ui/default/session?id=s1").next()
	if more != "201" || !strings.HasPrefix(address, "/ui/default/diff/session?") {
		t.Fatalf("%q more at %q", more, address)
	}
	if n := len(b.get(address + "&part=1").numbered()); n != 201 {
		t.Errorf("%d lines, want 201", n)
	}
}

// TestMoreMissing: an address of no file is not found, and a number that is none means the first row.
func TestMoreMissing(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	tx := p.create("a.txt", "one\ntwo\n")
	for address, code := range map[string]int{
		tx + "?file=0": 200, tx: 200, tx + "?file=x&from=y": 200, tx + "?from=-7": 200, tx + "?from=99999999999999999999&part=1": 200, tx + "?from=3&part=1": 200,
		tx + "?file=1": 404, tx + "?file=-1": 404, "20200101-000000-aaaaaaaaaa": 404, "999": 404, "session?session=none&file=3": 404, "content?id=none": 404, "content": 404,
		"..%2f..%2fetc%2fpasswd": 404, "content?id=..%2f..%2fetc%2fpasswd": 404,
	} {
		if a := b.get("/ui/default/diff/" + address); a.code != code {
			t.Errorf("%s: status %d, want %d: %s", address, a.code, code, a.body)
		}
	}
	if a := b.get("/ui/default/diff/" + tx + "?from=3&part=1"); len(a.numbered()) != 0 {
		t.Errorf("rows after the last: %s", a.body)
	}
}

// TestViews: the address chooses the view, and further rows have the same view.
func TestViews(t *testing.T) {
	p := newTestSite(t, nil, "a.txt", longText(900, "old"), "kept.txt", "x")
	b := p.signIn()
	read, err := p.ws.Read(context.Background(), api.ReadRequest{Path: "a.txt"})
	p.must(err)
	written, err := p.ws.Write(context.Background(), api.WriteRequest{Path: "a.txt", Content: longText(900, "new"), ExpectedSha256: read.Data.Sha256})
	p.must(err)
	page := "/ui/default/change/" + written.Tx
	one := b.get(page)
	one.want(t, http.StatusOK, `<table class="diff unified"`, "<b>Unified</b>", page+"?view=split", `<tr class="del" id="f0L1">`, "<mark>old</mark>")
	two := b.get(page + "?view=split")
	two.want(t, http.StatusOK, `<table class="diff split"`, "<b>Split</b>", page+"?view=unified", `<tr class="del add" id="f0R1">`, "<mark>old</mark>", "<mark>new</mark>")
	address, more := two.next()
	if !strings.Contains(address, "view=split") || more != "501" {
		t.Errorf("%s more at %s", more, address)
	}
	b.get(address+"&part=1").want(t, http.StatusOK, `<tr class="del add" id="f0R900">`)
	all, _ := one.next()
	b.get(all).want(t, http.StatusOK, `<tr class="add" id="f0R900">`, "<mark>new</mark>")
	made := b.get("/ui/default/change/" + p.create("b.txt", "x\n") + "?view=split")
	made.want(t, http.StatusOK, `<table class="diff unified"`)
	if strings.Contains(made.body, "view=unified") {
		t.Error("a new file can be seen side by side with nothing")
	}
}

// TestDiffIsText: nothing in a file or its name becomes markup, and invisible characters are shown.
func TestDiffIsText(t *testing.T) {
	hostile := "<script>alert(1)</script>\n</td></tr></table><mark onclick=x style=\"a\">\n\u202e\u200b\x1b[31m\x07\n<img src=x onerror=alert(1)>\n&lt;b&gt;\n"
	p := newTestSite(t, nil)
	b := p.signIn()
	for _, name := range []string{"<b onclick=x>\"'.html", "a.md", "a.go", "a.txt"} {
		tx := p.create(name, hostile)
		for _, page := range []string{"/ui/default/change/" + tx, "/ui/default/diff/" + tx, "/ui/default/diff/" + tx + "?part=1"} {
			a := b.get(page)
			a.want(t, http.StatusOK, `\u202e\u200b\x1b`, "31m", `\x07`, "&amp;lt;b&amp;gt;")
			for _, bad := range []string{"<script>a", "<img", "<mark onclick", "<b onclick", "style=\"", "\u202e", "\u200b", "\x1b", "\x07"} {
				if strings.Contains(a.body, bad) {
					t.Errorf("%s of %q: %q is in the page", page, name, bad)
				}
			}
		}
	}
}

// TestQuestionOfPatch: a patch that is applied section by section is shown file by file, whole.
func TestQuestionOfPatch(t *testing.T) {
	p := newTestSite(t, nil)
	r := &request{Request: httptest.NewRequest("GET", "/ui/default/waiting", nil), site: p.Site, ws: &p.Workspaces[0]}
	q := r.question(&api.Waiting{ID: "q", Question: api.Question{Paths: []api.AskedPath{{Path: "a"}},
		Diff: "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** Add File: b\n" + strings.Repeat("+x\n", 9000) + "*** End Patch\n"}}, true, new(maxQuestionLines))
	if len(q.Diffs) != 2 || q.Diffs[0].Diff.File.Path() != "a" || q.Diffs[1].Diff.File.Path() != "b" || len(q.Diffs[1].Diff.Rows) != 9001 {
		t.Errorf("%d diffs: %+v", len(q.Diffs), q.Diffs)
	}
}

// TestNoRows: a diff without rows says why.
func TestNoRows(t *testing.T) {
	r := &request{Request: httptest.NewRequest("GET", "/ui/default/change/1", nil), ws: &Workspace{Name: "default"}}
	for text, want := range map[string]string{
		"diff --git a/a b/a\nnew file mode 100644\n":                  "The file is empty.",
		"diff --git a/a b/a\nBinary files a/a and b/a differ\n":       "The file is binary: its bytes are not shown.",
		"diff --git a/a b/b\nrename from a\nrename to b\n":            "Moved, with the same content.",
		"diff --git a/a b/a\n":                                        "No line differs.",
		"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n": "",
	} {
		if got := r.diffView(text, "", nil).WhyEmpty(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	wide := "@@ -0,0 +1,9000 @@\n" + strings.Repeat("+"+strings.Repeat("x\x01", 900)+"\n", 9000)
	if v := r.diffView(wide, "", nil); v.NextHref != "" || v.More < 8000 || v.More+len(v.Rows) != 9001 {
		t.Errorf("%d rows of a wide diff, and %d more at %q", len(v.Rows), v.More, v.NextHref)
	}
}

// BenchmarkDiffPage times the first page of a diff of 50,000 lines, and the next 2,000 rows.
func BenchmarkDiffPage(b *testing.B) {
	p := newTestSite(b, nil)
	tx := p.create("long.go", longText(50_000, "\tfunc(x, \"text\") // comment"))
	who := p.signIn()
	for name, path := range map[string]string{"first": "/ui/default/change/" + tx, "part": "/ui/default/diff/" + tx + "?file=0&from=20000&part=1"} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = len(who.get(path).body)
			}
			b.ReportMetric(float64(n), "bytes/page")
		})
	}
}
