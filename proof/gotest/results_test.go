package gotest

import (
	"strings"
	"testing"
)

const events = `{"Action":"run","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX"}
{"Action":"output","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/one","Output":"x_test.go:1: wrong\n"}
{"Action":"fail","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/one"}
{"Action":"pass","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/two"}
{"Action":"fail","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX"}
{"Action":"skip","Package":"github.com/emend-dev/emend/internal/a","Test":"TestY"}
no json
{"Action":"fail","Package":"github.com/emend-dev/emend/internal/a"}
{"Action":"output","Package":"github.com/emend-dev/emend/internal/b","Output":"panic: dead\n"}
{"Action":"fail","Package":"github.com/emend-dev/emend/internal/b"}
{"Action":"skip","Package":"github.com/emend-dev/emend/internal/none"}
{"Action":"pass","Package":"github.com/emend-dev/emend","Test":"TestZ"}
{"Action":"pass","Package":"github.com/emend-dev/emend"}
`

// A test that has tests below it is not counted besides them, a package that ends in the middle is a failure, and what is known to fail
// is not.
func TestTable(t *testing.T) {
	r := Results{}
	if err := r.read(strings.NewReader(events), func(string) {}); err != nil {
		t.Fatal(err)
	}
	text, failed := r.Table(nil, true)
	for _, want := range []string{"| internal/a | 1 | 1 | 1 | 0 |", "| internal/b | 0 | 1 | 0 | 0 |", "| emend | 1 | 0 | 0 | 0 |", "| all | 2 | 2 | 1 | 0 |", "x_test.go:1: wrong", "panic: dead"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !failed || strings.Contains(text, "none") {
		t.Errorf("failed %v:\n%s", failed, text)
	}
}

// A test that began and did not end has failed, also if it is known to fail, and so has a package of which go test says no more.
func TestCutOff(t *testing.T) {
	begun := `{"Action":"run","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX"}
{"Action":"run","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/one"}
{"Action":"pass","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/one"}
{"Action":"run","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/two"}
`
	ended := `{"Action":"pass","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX/two"}
{"Action":"pass","Package":"github.com/emend-dev/emend/internal/a","Test":"TestX"}
`
	list, err := ReadKnown("internal/a TestX/two no links in wine\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, row string }{
		"in a test":     {begun + `{"Action":"fail","Package":"github.com/emend-dev/emend/internal/a"}`, "| internal/a | 1 | 1 | 0 | 0 |"},
		"between tests": {begun + ended, "| internal/a | 2 | 1 | 0 | 0 |"},
		"at the end":    {begun + ended + `{"Action":"pass","Package":"github.com/emend-dev/emend/internal/a"}`, "| internal/a | 2 | 0 | 0 | 0 |"},
	} {
		r := Results{}
		if err := r.read(strings.NewReader(c.text+"\n"), func(string) {}); err != nil {
			t.Fatal(err)
		}
		text, failed := r.Table(list, true)
		if !strings.Contains(text, c.row) || failed != (name != "at the end") {
			t.Errorf("%s: failed %v, no %q in\n%s", name, failed, c.row, text)
		}
	}
}

func TestKnown(t *testing.T) {
	list, err := ReadKnown("# remark\ninternal/a TestX/.* no links in wine\ninternal/a TestGone never\n")
	if err != nil {
		t.Fatal(err)
	}
	r := Results{}
	if err := r.read(strings.NewReader(strings.Split(events, `{"Action":"output","Package":"github.com/emend-dev/emend/internal/b"`)[0]), func(string) {}); err != nil {
		t.Fatal(err)
	}
	text, failed := r.Table(list, true)
	if failed || !strings.Contains(text, "no links in wine") || !strings.Contains(text, "TestGone") {
		t.Errorf("failed %v:\n%s", failed, text)
	}
	for _, bad := range []string{"internal/a TestX\n", "internal/a Test( why\n"} {
		if _, err := ReadKnown(bad); err == nil {
			t.Errorf("took %q", bad)
		}
	}
}
