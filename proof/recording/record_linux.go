package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/proof/product"
)

// columns is the width of the terminal.
const columns = 102

// story is what is typed.
var story = []string{
	`emend run -- sed -i s/8080/9090/ config.toml`,
	`emend undo`,
	`emend run --dry-run -- rm -r src`,
	`emend log`,
}

// files is the repository in which it is typed.
var files = map[string]string{
	"config.toml":  "host = \"localhost\"\nport = 8080\n",
	"src/main.txt": "hello\n",
}

// step is one command and what the terminal showed of it.
type step struct{ command, output string }

// record runs the story below dir.
func record(ctx context.Context, dir string) ([]step, error) {
	bin, home, shop := filepath.Join(dir, "bin"), filepath.Join(dir, "home"), filepath.Join(dir, "shop")
	for _, d := range []string{bin, home, filepath.Join(shop, "src")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := product.Build(ctx, filepath.Join(bin, "emend")); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(shop, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	env := []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "PAGER=cat", "GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.com"}
	if _, err := inTerminal(ctx, shop, env, "git init -q -b main && git add -A && git commit -qm first"); err != nil {
		return nil, err
	}
	var steps []step
	for _, command := range story {
		output, err := inTerminal(ctx, shop, env, command)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", command, err, output)
		}
		steps = append(steps, step{command, output})
	}
	return steps, nil
}

// inTerminal runs a command of the shell in a terminal and returns what was shown.
func inTerminal(ctx context.Context, dir string, env []string, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	controller, tty, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer controller.Close()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	tty.Close()
	if err != nil {
		return "", err
	}
	var shown bytes.Buffer
	io.Copy(&shown, controller) //nolint:errcheck // it ends with EIO when every program has closed the terminal
	err = cmd.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n"), err
}

// openTerminal opens both ends of a pseudo terminal.
func openTerminal() (controller, tty *os.File, err error) {
	if controller, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(controller.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns})
	}
	n := 0
	if err == nil {
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
	}
	if err == nil {
		tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		controller.Close()
	}
	return controller, tty, err
}
