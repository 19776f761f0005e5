//go:build unix

package cli

import (
	"os"
	"syscall"
)

// runSignals are the signals that emend does not obey while a command runs.
var runSignals = []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// fromKeyboard reports whether the terminal sends the signal, to the command as well.
func fromKeyboard(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// exitStatus returns the exit code as a shell has it.
func exitStatus(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return exitSignal + int(w.Signal())
	}
	return p.ExitCode()
}
