package arch

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

const threatsPage = "docs/threats.md"

// TestThreats checks that each line of docs/threats.md names tests that exist, or says that nothing stops the attack.
func TestThreats(t *testing.T) {
	for _, complaint := range threats(t, os.DirFS("../..")) {
		t.Error(complaint)
	}
}

func TestThreatsSeesMissing(t *testing.T) {
	for _, tc := range []struct{ row, want string }{
		{"| a | b | c | `internal/x.TestIt` |", ""},
		{"| a | b | c | `internal/x.TestIt`, `internal/x.FuzzIt` |", ""},
		{"| a | b | c | `internal/x.TestIt/a case` |", ""},
		{"| a | b | c | `cmd/emend.TestScripts/cli/words` |", ""},
		{"| a | nothing: d | c | none |", ""},
		{"| a | b | c | none |", "names no test"},
		{"| a | b | c | |", "names no test"},
		{"| a | b | `internal/x.TestIt` |", "3 cells"},
		{"| a | b | c | `internal/x.TestThat` |", "no TestThat in internal/x"},
		{"| a | b | c | `internal/x.TestI` |", "no TestI in internal/x"},
		{"| a | b | c | `internal/y.TestIt` |", "no TestIt in internal/y"},
		{"| a | b | c | `internal/x.TestIt/another case` |", `no "another case"`},
		{"| a | b | c | `cmd/emend.TestScripts/cli/none` |", "no scenario cli/none"},
		{"| a | b | c | `TestIt` |", "package.Test"},
	} {
		file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
		got := strings.Join(threats(t, fstest.MapFS{
			threatsPage:                                 file("| attack | what stops it | what is left | test |\n|---|---|---|---|\n" + tc.row + "\n"),
			"internal/x/x_test.go":                      file("package x\n\nfunc TestIt(t *testing.T) { run(\"a case\") }\n\nfunc FuzzIt(f *testing.F) {}\n"),
			"cmd/emend/main_test.go":                    file("package main\n\nfunc TestScripts(t *testing.T) {}\n"),
			"cmd/emend/testdata/script/cli/words.txtar": file(""),
		}), "\n")
		if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", tc.row, got, tc.want)
		}
	}
}

// threats returns a complaint for each line of the page without a test that exists.
func threats(t *testing.T, tree fs.FS) []string {
	t.Helper()
	page, err := fs.ReadFile(tree, threatsPage)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasSuffix(line, "| test |") {
			continue
		}
		for _, complaint := range threatLine(tree, line) {
			out = append(out, fmt.Sprintf("%s:%d: %s", threatsPage, i+1, complaint))
		}
	}
	return out
}

var codeSpan = regexp.MustCompile("`[^`]+`")

func threatLine(tree fs.FS, line string) []string {
	cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "| "), `\|`, ""), " | ")
	if strings.HasSuffix(line, "| |") {
		cells = append(cells, "")
	}
	if len(cells) != 4 {
		return []string{fmt.Sprintf("%d cells, and not 4", len(cells))}
	}
	names := codeSpan.FindAllString(cells[3], -1)
	if len(names) == 0 && !strings.HasPrefix(cells[1], "nothing") {
		return []string{"names no test, and does not begin with \"nothing\" under what stops it"}
	}
	var out []string
	for _, name := range names {
		if complaint := missingTest(tree, strings.Trim(name, "`")); complaint != "" {
			out = append(out, complaint)
		}
	}
	return out
}

var testName = regexp.MustCompile(`^([a-z0-9_/]+)\.((?:Test|Fuzz)[A-Za-z0-9_]+)(?:/(.+))?$`)

// missingTest says what is not there of a test: package.Test, or package.Test/case. A case is text of the package's tests, or
// for TestScripts a scenario.
func missingTest(tree fs.FS, name string) string {
	m := testName.FindStringSubmatch(name)
	if m == nil {
		return fmt.Sprintf("%q is not of the form package.Test", name)
	}
	pkg, test, sub := m[1], m[2], m[3]
	source := testSource(tree, pkg)
	switch {
	case !strings.Contains(source, "func "+test+"("):
		return fmt.Sprintf("no %s in %s", test, pkg)
	case test == "TestScripts" && sub != "":
		if _, err := fs.Stat(tree, path.Join(pkg, "testdata/script", sub+".txtar")); err != nil {
			return fmt.Sprintf("no scenario %s in %s", sub, pkg)
		}
	case sub != "" && !strings.Contains(source, `"`+sub+`"`):
		return fmt.Sprintf("no %q in the tests of %s", sub, pkg)
	}
	return ""
}

// testSource returns all test files of a package as one text.
func testSource(tree fs.FS, pkg string) string {
	files, _ := fs.Glob(tree, pkg+"/*_test.go") // the pattern has no mistake
	var b strings.Builder
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err == nil {
			b.Write(text)
		}
	}
	return b.String()
}
