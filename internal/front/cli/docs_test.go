package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestDocsCommands: each command of emend that the documents show exists, with the flags that they show.
func TestDocsCommands(t *testing.T) {
	top := filepath.Join("..", "..", "..")
	pages := []string{filepath.Join(top, "README.md")}
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "decisions": // what was true on their day
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shownCommands(string(text)) {
			if n++; line == "--lenient" || line == "store 2" { // the dialect of this name, and the format
				continue
			}
			if wrong := misuse((&app{}).command(), strings.Fields(line)); wrong != "" {
				t.Errorf("%s: %s: %s", page, line, wrong)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d commands were found", n)
	}
}

// TestDocsCommandsSeesMistakes: what misuse is there for.
func TestDocsCommandsSeesMistakes(t *testing.T) {
	for line, ok := range map[string]bool{
		"log --path src -n 20": true, "-C d --json show 12": true, "log drop": true, "undo -p": true, "--version": true, "run -- sed --nope x": true, "serve DIR --http :0": true,
		"lgo": false, "log --failed": false, "-C d log -z": false,
	} {
		if wrong := misuse((&app{}).command(), strings.Fields(line)); (wrong == "") != ok {
			t.Errorf("%s: %q", line, wrong)
		}
	}
	text := "    emend log --path a     # note\n    $ emend undo -p\n\n`emend show` and `emend\nstatus`, not emend alone, `emend: in words`\n\n    FOO=1 emend verify | less\n"
	if got, want := strings.Join(shownCommands(text), "; "), "show; status; log --path a; undo -p; verify"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

var (
	inlineCommand = regexp.MustCompile("`emend\\s+([a-z-][^`]*)`")
	shownCommand  = regexp.MustCompile(`(?m)^    (?:\$ |[A-Z_]+=\S+ )?emend ([a-z-][^\n#|>]*)`)
)

// shownCommands returns the commands in the code of a page, without the name of the program.
func shownCommands(text string) (out []string) {
	for _, pattern := range []*regexp.Regexp{inlineCommand, shownCommand} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			one, _, _ := strings.Cut(m[1], ", emend ")
			one, _, _ = strings.Cut(one, "   ") // what a line says of it
			out = append(out, strings.Join(strings.Fields(one), " "))
		}
	}
	return out
}

// misuse says what is wrong with the verb, or the flags, of a command.
func misuse(c *cobra.Command, words []string) string {
	c.InitDefaultCompletionCmd()
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	for i := 0; i < len(words); i++ {
		w := strings.Trim(words[i], "[]…")
		if w == "--" || w == "run" && c.Parent() == nil {
			return ""
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			if sub, _, err := c.Find([]string{w}); err == nil && sub != c {
				c = sub
				c.InitDefaultHelpFlag()
			} else if c.Parent() == nil && !strings.HasPrefix(w, "VERB") {
				return "there is no verb " + w
			}
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(w, "-"), "=")
		var f *pflag.Flag
		if flags := []*pflag.FlagSet{c.Flags(), c.InheritedFlags()}; strings.HasPrefix(w, "--") {
			f = lookup(flags, func(s *pflag.FlagSet) *pflag.Flag { return s.Lookup(name) })
		} else {
			f = lookup(flags, func(s *pflag.FlagSet) *pflag.Flag { return s.ShorthandLookup(name[:1]) })
		}
		if f == nil {
			return "there is no flag " + w
		}
		if f.NoOptDefVal == "" && !hasValue {
			i++
		}
	}
	return ""
}

func lookup(sets []*pflag.FlagSet, find func(*pflag.FlagSet) *pflag.Flag) *pflag.Flag {
	for _, s := range sets {
		if f := find(s); f != nil {
			return f
		}
	}
	return nil
}
