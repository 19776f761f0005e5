package plan

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
)

// TestCutOff cuts texts off at every byte. What is left is refused, or it leaves what the whole hunks in it leave, and nothing else: no half
// line, and no file without its lines. A text that ends between two hunks shows nothing.
func TestCutOff(t *testing.T) {
	tree := Memory{
		"a":    "1\n2\n3\n4\n5\n6\n7\n8\n9\n\ntail\n",
		"b":    "f() {\n\told()\n}\n\ng() {\n\told()\n}\n",
		"gone": "x\n\ny\n",
		"from": "one\ntwo\nthree\n",
	}
	diff := `diff --git a/a b/a
index ` + blobOf(tree["a"]) + `..1234567 100644
--- a/a
+++ b/a
@@ -1,3 +1,3 @@
 1
-2
+two and more
 3
@@ -8,4 +8,5 @@
 8
 9
` + " " + `
-tail
+the tail
+and its end
diff --git a/b b/b
--- a/b
+++ b/b
@@ -5,3 +5,4 @@ f() {
 g() {
-	old()
+	newer()
+	newest()
 }
diff --git a/from b/to
similarity index 60%
rename from from
rename to to
index ` + blobOf(tree["from"]) + `..1234567 100644
--- a/from
+++ b/to
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/gone b/gone
deleted file mode 100644
index ` + blobOf(tree["gone"]) + `..0000000
--- a/gone
+++ /dev/null
@@ -1,3 +0,0 @@
-x
-
-y
diff --git a/new b/new
new file mode 100755
index 0000000..1234567
--- /dev/null
+++ b/new
@@ -0,0 +1,3 @@
+first
+
+last line
`
	var bare strings.Builder // without what only git writes
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "index ") && !strings.HasPrefix(line, "deleted ") && !strings.HasPrefix(line, "new file ") {
			bare.WriteString(line)
		}
	}
	blocks := "a\n<<<<<<< SEARCH\n2\n=======\ntwo and more\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ntail\n=======\nthe tail\n>>>>>>> REPLACE\n" +
		"b\n```\n<<<<<<< SEARCH\n\told()\n}\n\n=======\n\tnew()\n}\n\n>>>>>>> REPLACE\n```\nnew\n<<<<<<< SEARCH\n=======\nfirst\nlast line\n>>>>>>> REPLACE\n"
	for _, tt := range []struct {
		name  string
		d     *dialect.Dialect
		text  string
		whole []string // what begins or ends a part that may stand alone
	}{
		{"git", dialect.Unified, diff, []string{"\n@@", "\ndiff --git"}},
		{"without git's lines", dialect.Unified, bare.String(), []string{"\n@@", "\ndiff --git"}},
		{"blocks", dialect.SearchReplace, blocks, []string{"\n<<<<<<< SEARCH", "\nb\n", "\nnew\n", "\n```\nnew"}},
		{"envelope", dialect.Emend, envelope("*** Update File: a", "@@", " 1", "-2", "+two and more", "*** Add File: new", "+first", "+last line"), nil},
	} {
		allowed := map[string]bool{}
		for n := range tt.text {
			for _, whole := range append(tt.whole, "\n") {
				if strings.HasPrefix(tt.text[n:], whole) && (whole != "\n" || n+1 == len(tt.text)) {
					if p, err := planned(t, tt.d, tt.text[:n+1], tree, false); err == nil {
						allowed[after(p, tree)] = true
					}
				}
			}
		}
		landed := 0
		for n := range tt.text {
			for _, lenient := range []bool{false, true} {
				p, err := planned(t, tt.d, tt.text[:n], tree, lenient)
				if err != nil {
					continue
				}
				if landed++; !allowed[after(p, tree)] {
					t.Errorf("%s, cut off at %d, lenient %t: leaves\n%s\nof a text that ends in\n%q", tt.name, n, lenient, after(p, tree), tt.text[max(0, n-60):n])
				}
			}
		}
		if p, err := planned(t, tt.d, tt.text, tree, false); err != nil || !allowed[after(p, tree)] {
			t.Errorf("%s, whole: %v", tt.name, err)
		}
		if landed < 2*len(tt.whole) {
			t.Errorf("%s: only %d parts land: the test shows little", tt.name, landed)
		}
	}
}

func planned(t *testing.T, d *dialect.Dialect, text string, tree Memory, lenient bool) (*Plan, error) {
	if lenient {
		return lenientIn(t.Context(), d, text, tree, Options{})
	}
	p, err := d.Parse(text, dialect.Options{})
	if err != nil {
		return nil, err
	}
	return Build(t.Context(), p.Patch, d.Rules(dialect.Options{}), tree, Options{})
}
