package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/emend-dev/emend/internal/front/setup"
	"github.com/emend-dev/emend/internal/report"
)

// printSetup prints a plan, or its outcome, with the change to each file.
func (a *app) printSetup(p *setup.Plan, write bool, failed error) {
	say := func(format string, args ...any) { fmt.Fprintln(a.out, report.Escape(fmt.Sprintf(format, args...))) }
	switch {
	case p.Remove:
		say("Removing emend from %s (%s).", p.Title, p.Scope)
	case p.Command == nil && p.URL == "":
		say("The hooks of %s (%s) are to call: %s", p.Title, p.Scope, shellWords(p.Hook))
		say("(%s)", programNote(p.Hook[0]))
	case p.URL != "":
		say("%s (%s) is to connect to %s", p.Title, p.Scope, p.URL)
	default:
		say("%s (%s) is to start: %s", p.Title, p.Scope, shellWords(p.Command))
		say("(%s)", programNote(p.Command[0]))
	}
	for i, s := range p.Steps {
		a.printStep(i+1, s, write)
	}
	if len(p.Notes) > 0 {
		fmt.Fprintf(a.out, "\n%s\n", a.colorize(bold, "NOT COVERED, AND GOOD TO KNOW"))
		for _, n := range p.Notes {
			say("- %s", n)
		}
	}
	fmt.Fprintln(a.out)
	a.printSetupResult(p, write, failed, say)
}

func (a *app) printSetupResult(p *setup.Plan, write bool, failed error, say func(string, ...any)) {
	switch {
	case failed != nil:
		say("Stopped: what is marked as done above is done, the rest is not.")
	case !p.Changes():
		say("There is nothing to do: everything is as it should be.")
	case write:
		say("Done. Next: %s.", p.Next)
	default:
		say("Nothing was written. To do it: emend %s", rerunCommand(p))
	}
	if len(p.Undo) > 0 && failed == nil {
		say("To undo: %s", shellWords(p.Undo))
	}
}

func (a *app) printStep(n int, s *setup.Step, write bool) {
	say := func(format string, args ...any) { fmt.Fprintln(a.out, report.Escape(fmt.Sprintf(format, args...))) }
	fmt.Fprintln(a.out)
	where := s.File
	if s.Target != "" {
		where += " (a link to " + s.Target + ")"
	}
	say("%d. %s: %s", n, s.Purpose, where)
	switch {
	case !s.Change:
		say("   is as it should be")
		return
	case s.Deleted:
		say("   %s: it has nothing but what setup wrote", didOrWould(s, write, "removed", "would be removed"))
	case s.Commands != nil:
		for _, argv := range s.Commands {
			say("   %s: %s", didOrWould(s, write, "ran", "would run"), shellWords(argv))
		}
	}
	a.printStepDiff(s.Diff)
	if s.Backup != "" {
		say("   what was there is kept as %s", s.Backup)
	}
	if write && !s.Done {
		say("   NOT DONE")
	}
}

func didOrWould(s *setup.Step, write bool, did, would string) string {
	if write && s.Done {
		return did
	}
	return would
}

// printStepDiff prints a diff, indented.
func (a *app) printStepDiff(diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		fmt.Fprintln(a.out, "   "+a.colorize(diffColor(line), report.Escape(line)))
	}
}

func programNote(program string) string {
	if program == "emend" {
		return "the one that PATH finds"
	}
	return fmt.Sprintf("%s is the emend that runs now", program)
}

// rerunCommand returns the command line that carries the plan out.
func rerunCommand(p *setup.Plan) string {
	return cmp.Or(shellWords(os.Args[1:]), "setup "+p.Client) + " --write"
}

// shellWords quotes a command for a shell.
func shellWords(argv []string) string {
	var out []string
	for _, w := range argv {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`{}()[]<>|&;*?!#~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
