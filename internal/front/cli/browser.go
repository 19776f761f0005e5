package cli

import (
	"errors"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the person's browser, and does not wait for it. The address is passed as one argument, to a
// program and not to a shell.
func openBrowser(url string, env func(string) string) error {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", url}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	default:
		if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" && env("BROWSER") == "" {
			return errors.New("there is no display")
		}
		command = []string{"xdg-open", url}
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(program, command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() //nolint:errcheck // it has no result
	return nil
}
