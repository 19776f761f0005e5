package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pagerVar is the environment variable that turns this test binary into a pager.
const pagerVar = "EMEND_TEST_PAGER"

// TestPagerProgram is the pager that TestPager runs.
func TestPagerProgram(t *testing.T) {
	switch os.Getenv(pagerVar) {
	case "shows":
		fmt.Printf("LESS=%s\n", os.Getenv("LESS"))
		var b bytes.Buffer
		b.ReadFrom(os.Stdin)
		fmt.Print(strings.ToUpper(b.String()))
		os.Exit(0)
	case "fails":
		os.Exit(1)
	}
}

func TestPager(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self += " -test.run=^TestPagerProgram$"
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tc := range []struct {
		name, does, want string
		env              map[string]string
		change           func(*app)
	}{
		{"its own", "shows", "LESS=FRX\nTEXT\n", map[string]string{"EMEND_PAGER": self, "PAGER": missing}, nil},
		{"the person's", "shows", "LESS=FRX\nTEXT\n", map[string]string{"PAGER": self + " -test.v=false"}, nil},
		{"with settings", "shows", "LESS=mine\nTEXT\n", map[string]string{"PAGER": self, "LESS": "mine"}, nil},
		{"missing", "", "text\n", map[string]string{"PAGER": missing}, nil},
		{"failing", "fails", "text\n", map[string]string{"PAGER": self}, nil},
		{"cat", "", "text\n", map[string]string{"PAGER": "cat"}, nil},
		{"blank", "", "text\n", map[string]string{"PAGER": " "}, nil},
		{"no pager", "shows", "text\n", map[string]string{"PAGER": self}, func(a *app) { a.noPager = true }},
		{"a pipe", "shows", "text\n", map[string]string{"PAGER": self}, func(a *app) { a.ttyOut = false }},
		{"json", "shows", "text\n", map[string]string{"PAGER": self}, func(a *app) { a.json = true }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(pagerVar, tc.does)
			t.Setenv("LESS", tc.env["LESS"])
			var out bytes.Buffer
			a := &app{out: &out, err: &out, ttyOut: true, env: func(k string) string { return tc.env[k] }}
			if tc.change != nil {
				tc.change(a)
			}
			if err := a.withPager(func() { fmt.Fprintln(a.out, "text") }); err != nil || out.String() != tc.want {
				t.Errorf("%q, %v; want %q", out.String(), err, tc.want)
			}
		})
	}
}
