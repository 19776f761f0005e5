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
			for _, c := range withPages(root) {
				name := filepath.Join(args[0], manName(c)+".1")
				if err := os.WriteFile(name, []byte(manPage(c)), 0o644); err != nil {
					return &usageError{"man", err}
				}
			}
			return nil
		},
	}
}

// withPages lists c and the commands below it that have a man page.
func withPages(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range subcommands(c) {
		out = append(out, withPages(sub)...)
	}
	return out
}

func subcommands(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool { return !sub.IsAvailableCommand() || sub.Name() == "help" })
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the page of c in the language of man(7). It has no date, so that the same program writes the same
// bytes.
func manPage(c *cobra.Command) string {
	var p page
	name := manName(c)
	p.macro("TH", strings.ToUpper(name), "1", "", "emend "+emend.Version().Version, "emend")
	p.line(".nh\n.ad l")
	p.macro("SH", "NAME")
	p.line(name + ` \- ` + roff(strings.ToLower(c.Short[:1])+c.Short[1:]))
	p.macro("SH", "SYNOPSIS")
	p.line(`\fB` + roff(c.CommandPath()) + `\fR` + roff(synopsis(c)))
	p.macro("SH", "DESCRIPTION")
	p.prose(c.Long)
	p.verbs(c)
	p.flags("OPTIONS", c.NonInheritedFlags())
	if c.HasAvailableInheritedFlags() {
		p.macro("SH", "OPTIONS OF EVERY VERB")
		p.line(`Such as \fB\-\-directory\fR, \fB\-\-json\fR and \fB\-\-quiet\fR: see \fBemend\fR(1).`)
	}
	if c.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.literal(c.Example)
	}
	p.seeAlso(c)
	return p.String()
}

// synopsis returns what follows the name of c on a command line.
func synopsis(c *cobra.Command) string {
	if c.HasAvailableSubCommands() && !c.Runnable() {
		return " [-C DIR] VERB [ARGUMENT]... [FLAG]..."
	}
	return strings.TrimSuffix(strings.TrimPrefix(c.UseLine(), c.CommandPath()), " [flags]") + " [FLAG]..."
}

// page builds a man page.
type page struct{ strings.Builder }

// macro writes a macro with its arguments, each in quotes.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// line writes a line that is escaped already.
func (p *page) line(s string) { p.WriteString(s + "\n") }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`, "\n.", "\n\\&.")

// roff escapes text. Nothing in it is then a request or an escape, and a hyphen is the character that people type.
func roff(s string) string { return roffEscapes.Replace("\n" + s)[1:] }

// prose writes paragraphs. It keeps the lines of an indented paragraph as they are.
func (p *page) prose(s string) {
	for i, paragraph := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") || strings.HasPrefix(paragraph, "\t") {
			p.literal(paragraph)
			continue
		}
		if i > 0 {
			p.macro("PP")
		}
		p.line(roff(paragraph))
	}
}

// literal writes lines as they are, indented.
func (p *page) literal(s string) {
	p.line(".PP\n.RS \"4\"\n.nf")
	for line := range strings.SplitSeq(strings.Trim(s, "\n"), "\n") {
		if line = strings.TrimPrefix(strings.TrimPrefix(line, "  "), "\t"); line == "" {
			line = ".sp"
		} else {
			line = roff(strings.ReplaceAll(line, "\t", "    "))
		}
		p.line(line)
	}
	p.line(".fi\n.RE")
}

// verbs lists the verbs below c, in their groups if it has any.
func (p *page) verbs(c *cobra.Command) {
	subs := subcommands(c)
	if len(subs) == 0 {
		return
	}
	p.macro("SH", "VERBS")
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{}}
	}
	for _, g := range groups {
		if g.Title != "" {
			p.macro("SS", strings.TrimSuffix(g.Title, ":"))
		}
		for _, sub := range subs {
			if sub.GroupID == g.ID {
				p.item(`\fB`+roff(sub.Name())+`\fR`, sub.Short)
			}
		}
	}
}

// item writes a term, which is escaped already, and its meaning.
func (p *page) item(term, meaning string) { p.line(".TP\n" + term + "\n" + roff(meaning)) }

// flags writes the help of the flags in set. Each has its default, unless that is the zero value.
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
		term := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			term = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + term
		}
		if value != "" {
			term += ` \fI` + roff(value) + `\fR`
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		p.item(term, usage)
	})
}

// seeAlso names the pages above and below that of c.
func (p *page) seeAlso(c *cobra.Command) {
	var pages []string
	for _, other := range append([]*cobra.Command{c.Parent()}, subcommands(c)...) {
		if other != nil {
			pages = append(pages, `\fB`+roff(manName(other))+`\fR(1)`)
		}
	}
	if len(pages) > 0 {
		p.macro("SH", "SEE ALSO")
		p.line(strings.Join(pages, ",\n"))
	}
}
