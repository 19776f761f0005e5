package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/emend-dev/emend"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write the man pages",
		Long: `man writes the man pages into DIR: emend.1, and for every verb emend-VERB.1. Without
DIR it prints emend.1. They are made from what --help prints, and are the same every
time.`,
		Example: "  emend man | man -l -\n  emend man /usr/local/share/man/man1",
		Hidden:  true,
		Args:    atMost(0, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.InitDefaultCompletionCmd()
			if len(args) == 0 {
				_, err := io.WriteString(a.out, manPage(root))
				return err
			}
			for _, c := range manned(root) {
				name := filepath.Join(args[0], manName(c)+".1")
				if err := os.WriteFile(name, []byte(manPage(c)), 0o644); err != nil {
					return &usage{"man", err}
				}
			}
			return nil
		},
	}
}

// manned are the commands that have a page.
func manned(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			out = append(out, manned(sub)...)
		}
	}
	return out
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is one page in the language of man(7). It says nothing of when it was made, so that it is the same when it is
// made again.
func manPage(c *cobra.Command) string {
	var p page
	name := manName(c)
	p.macro("TH", strings.ToUpper(name), "1", "", "emend "+emend.Version().Version, "emend")
	p.macro("nh")
	p.macro("ad", "l")
	p.macro("SH", "NAME")
	p.text(name + " \\- " + roff(lowerFirst(c.Short)))
	p.macro("SH", "SYNOPSIS")
	p.text(`\fB` + roff(c.CommandPath()) + `\fR` + roff(strings.TrimPrefix(synopsis(c), c.CommandPath())))
	p.macro("SH", "DESCRIPTION")
	p.prose(c.Long)
	p.verbs(c)
	p.flags("OPTIONS", c.NonInheritedFlags())
	p.flags("OPTIONS OF EVERY VERB", c.InheritedFlags())
	if c.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.literal(c.Example)
	}
	p.see(c)
	return p.String()
}

func synopsis(c *cobra.Command) string {
	if c.HasAvailableSubCommands() && !c.Runnable() {
		return c.CommandPath() + " [-C DIR] VERB [ARGUMENT]... [FLAG]..."
	}
	return strings.TrimSuffix(c.UseLine(), " [flags]") + " [FLAG]..."
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// page is a man page in the making.
type page struct{ strings.Builder }

// macro writes a request with its arguments, each in quotes.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		if name == "ad" {
			p.WriteString(" " + a)
			continue
		}
		p.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// text writes what is roff already.
func (p *page) text(line string) { p.WriteString(line + "\n") }

// roff is s as text: nothing in it is a request or an escape, and a hyphen is the character that people type.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(s)
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, ".") {
			b.WriteString(`\&`)
		}
		b.WriteString(line)
	}
	return b.String()
}

// prose writes paragraphs; those that are indented are kept as they are.
func (p *page) prose(s string) {
	for i, para := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		switch {
		case strings.HasPrefix(para, "  ") || strings.HasPrefix(para, "\t"):
			p.literal(para)
		case i > 0:
			p.macro("PP")
			fallthrough
		default:
			p.text(roff(para))
		}
	}
}

// literal writes lines as they are, indented.
func (p *page) literal(s string) {
	p.macro("PP")
	p.macro("RS", "4")
	p.macro("nf")
	for line := range strings.Lines(strings.Trim(s, "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if trimmed := strings.TrimPrefix(strings.TrimPrefix(line, "  "), "\t"); trimmed != "" {
			p.text(roff(strings.ReplaceAll(trimmed, "\t", "    ")))
		} else {
			p.macro("sp")
		}
	}
	p.macro("fi")
	p.macro("RE")
}

// verbs lists what is below a command.
func (p *page) verbs(c *cobra.Command) {
	subs := manned(c)[1:]
	subs = slices.DeleteFunc(subs, func(s *cobra.Command) bool { return s.Parent() != c })
	if len(subs) == 0 {
		return
	}
	p.macro("SH", "VERBS")
	if len(c.Groups()) == 0 {
		p.list(subs)
		return
	}
	for _, g := range c.Groups() {
		p.macro("SS", strings.TrimSuffix(g.Title, ":"))
		p.list(slices.DeleteFunc(slices.Clone(subs), func(s *cobra.Command) bool { return s.GroupID != g.ID }))
	}
	if rest := slices.DeleteFunc(subs, func(s *cobra.Command) bool { return s.GroupID != "" }); len(rest) > 0 {
		p.macro("SS", "Other")
		p.list(rest)
	}
}

func (p *page) list(subs []*cobra.Command) {
	for _, s := range subs {
		p.macro("TP")
		p.text(`\fB` + roff(s.Name()) + `\fR`)
		p.text(roff(s.Short))
	}
}

func (p *page) flags(title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.macro("SH", title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		if value != "" {
			name += ` \fI` + roff(value) + `\fR`
		}
		if quiet := map[string]bool{"": true, "false": true, "0": true, "0s": true, "[]": true}; !quiet[f.DefValue] {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		p.macro("TP")
		p.text(name)
		p.text(roff(usage))
	})
}

// see names the pages around this one.
func (p *page) see(c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, manName(c.Parent()))
	}
	for _, s := range manned(c)[1:] {
		if s.Parent() == c {
			names = append(names, manName(s))
		}
	}
	if len(names) == 0 {
		return
	}
	p.macro("SH", "SEE ALSO")
	for i, n := range names {
		sep := ","
		if i == len(names)-1 {
			sep = ""
		}
		p.text(`\fB` + roff(n) + `\fR(1)` + sep)
	}
}
