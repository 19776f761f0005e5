package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"strings"
)

// withPager sends what print prints through a pager if a person reads it on a terminal. If the pager fails, it prints
// as it is.
func (a *app) withPager(print func()) error {
	command := a.pagerCommand()
	out := a.out
	if len(command) == 0 {
		lines := bufio.NewWriterSize(out, 64<<10)
		a.out = lines
		print()
		a.out = out
		return lines.Flush()
	}
	var text bytes.Buffer
	a.out = &text
	print()
	a.out = out
	if a.runPager(command, text.Bytes()) == nil {
		return nil
	}
	_, err := a.out.Write(text.Bytes()) // the pager is missing, or it failed
	return err
}

// pagerCommand returns the command of the pager, or nil to use none.
func (a *app) pagerCommand() []string {
	if !a.ttyOut || a.noPager || a.quiet || a.json {
		return nil
	}
	command := strings.Fields(cmp.Or(a.env("EMEND_PAGER"), a.env("PAGER"), "less"))
	if len(command) == 0 || command[0] == "cat" {
		return nil
	}
	return command
}

func (a *app) runPager(command []string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), unwrapWriter(a.out), a.err
	cmd.Env = os.Environ()
	if a.env("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // quit if one screen, show colours, keep the text on exit
	}
	return cmd.Run()
}
