package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groff warns of no page, and each page shows every flag and example of its verb.
func TestManRenders(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skipf("groff is not installed: no page can be rendered")
	}
	root := (&app{}).command()
	for _, c := range withPages(root) {
		var out, errs bytes.Buffer
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-rLL=100n", "-P-c", "-P-b", "-P-u")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(manPage(c)), &out, &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v: %s", c.CommandPath(), err, &errs)
		}
		shown := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range append(strings.Split(c.Example, "\n"), strings.Split(c.Long, "\n\n")...) {
			if want := strings.Join(strings.Fields(want), " "); !strings.Contains(shown, want) {
				t.Errorf("%s: the page does not show %q", c.CommandPath(), want)
			}
		}
		for _, want := range indentedLines(c) {
			if !regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(want) + `$`).MatchString(out.String()) {
				t.Errorf("%s: %q is not on a line of its own", c.CommandPath(), want)
			}
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(shown, "--"+f.Name) {
				t.Errorf("%s: the page does not show --%s", c.CommandPath(), f.Name)
			}
		})
	}
}

// indentedLines returns the lines of a command's help that a page must keep as they are.
func indentedLines(c *cobra.Command) []string {
	var out []string
	for para := range strings.SplitSeq(c.Long, "\n\n") {
		if strings.HasPrefix(para, "  ") {
			out = append(out, strings.Split(para, "\n")...)
		}
	}
	out = append(out, strings.Split(c.Example, "\n")...)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// mandoc is stricter than groff. It may report the date, which the pages leave out on purpose.
func TestManLint(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skipf("mandoc is not installed: no page can be checked by it")
	}
	for _, c := range withPages((&app{}).command()) {
		cmd := exec.Command(mandoc, "-T", "lint", "-W", "warning")
		cmd.Stdin = strings.NewReader(manPage(c))
		out, _ := cmd.CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") {
				t.Errorf("%s: %s", c.CommandPath(), line)
			}
		}
	}
}

// No text of the help is a request or an escape.
func TestRoff(t *testing.T) {
	tests := map[string]string{
		"a":         "a",
		".TH":       `\&.TH`,
		"a\n.b":     "a\n\\&.b",
		"'quoted'":  `\(aqquoted\(aq`,
		`\n`:        `\en`,
		"--flag":    `\-\-flag`,
		"`a` ^b ~c": "\\(gaa\\(ga \\(hab \\(tic",
	}
	for in, want := range tests {
		if got := roff(in); got != want {
			t.Errorf("roff(%q) = %q, want %q", in, got, want)
		}
	}
}

// emend man writes a page for every verb that help lists, and the same bytes each time.
func TestManWritesPages(t *testing.T) {
	var pages [2]map[string]string
	for i := range pages {
		dir := t.TempDir()
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs, env: os.Getenv}
		if code := a.run(t.Context(), []string{"man", dir}); code != exitDone {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		pages[i] = map[string]string{}
		names, _ := filepath.Glob(filepath.Join(dir, "*.1"))
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[i][filepath.Base(name)] = string(b)
		}
	}
	for _, c := range (&app{}).command().Commands() {
		name := "emend-" + c.Name() + ".1"
		if _, ok := pages[0][name]; ok != !c.Hidden {
			t.Errorf("%s: written: %v", name, ok)
		}
		if pages[0][name] != pages[1][name] {
			t.Errorf("%s: not the same the second time", name)
		}
	}
	if pages[0]["emend.1"] == "" {
		t.Error("no emend.1")
	}
}

// Every verb that help lists is in a group, and has a long text and an example. So have the verbs below it.
func TestEveryVerbHasHelp(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		if c.Parent().Parent() == nil && c.GroupID == "" {
			t.Errorf("%s: in no group", c.CommandPath())
		}
		if top := c.Parent().Parent() == nil; c.Name() != "version" && (c.Example == "" || top && c.Long == "") {
			t.Errorf("%s: no long words, or no example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	for _, c := range (&app{}).command().Commands() {
		check(c)
	}
}
