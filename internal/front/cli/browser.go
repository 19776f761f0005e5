package cli

import (
	"errors"
	"os/exec"
	"runtime"
)

// openBrowser opens url in the person's browser and does not wait for it. It runs a program with url as one argument,
// and no shell.
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
	go cmd.Wait() //nolint:errcheck // nobody waits for its result
	return nil
}
