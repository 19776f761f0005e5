// Command emend-hub shows, searches and governs many workspaces (serve), and joins workspaces to such a hub (join).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes, beside those of a command that join runs.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// app has the state that all commands share.
type app struct {
	out, err io.Writer
	data     string // the directory of the hub
	json     bool
	verbose  bool
	code     int // of the command that join ran
}

// run runs the program and returns its exit code.
func run(args []string, out, errs io.Writer) int {
	a := &app{out: out, err: errs}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitDone
	}
	fmt.Fprintln(errs, "emend-hub: "+err.Error())
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// usageError is an error of the command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:   "emend-hub",
		Short: "See, search and govern many emend workspaces in one place",
		Long: `emend-hub serve is a hub: it keeps verified copies of the logs of many workspaces, and
shows, searches and exports them. emend-hub join connects a workspace to a hub. The log of
each workspace stays the record. A hub can ask a workspace for what its owner allowed, and
can write nothing by itself.`,
		Example: `  emend-hub serve
  emend-hub join 'https://127.0.0.1:7443/join#...' ~/src/shop ~/src/site`,
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs, Version: emend.Version().Version,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	c.PersistentFlags().StringVar(&a.data, "data", defaultData(), "directory of the hub: its keys, records and index")
	c.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	c.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "print what happens to standard error")
	c.AddGroup(&cobra.Group{ID: "hub", Title: "The hub:"}, &cobra.Group{ID: "workspace", Title: "The workspace:"})
	for _, sub := range []*cobra.Command{a.serve(), a.invite(), a.members(), a.label(), a.revoke(), a.token(), a.policy(), a.freeze(), a.thaw(), a.verify(), a.clusterConfig()} {
		sub.GroupID = "hub"
		c.AddCommand(sub)
	}
	for _, sub := range []*cobra.Command{a.join(), a.leave()} {
		sub.GroupID = "workspace"
		c.AddCommand(sub)
	}
	c.AddCommand(a.schema(), a.man())
	for _, sub := range c.Commands() {
		checkArgs(sub)
	}
	return c
}

// checkArgs makes errors about the number of arguments errors of usage.
func checkArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &usageError{err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		checkArgs(sub)
	}
}

// defaultData returns the directory of a hub that is started without --data.
func defaultData() string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "emend-hub")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "emend-hub"
	}
	return filepath.Join(home, ".local", "state", "emend-hub")
}

// logger prints warnings, and with --verbose everything.
func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}
