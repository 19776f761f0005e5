package cli

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/emend-dev/emend/internal/tool"
)

type serveFlags struct {
	toolFlags
	workspaces []string
	allow      []string
	wait       time.Duration

	http      string
	tokenFile string
	newToken  bool
	uiToken   string // the file of the pages' token
	noUI      bool
	remote    bool
	noTLS     bool
	cert, key string

	maxCalls, maxRate, maxSessions int
	maxBody                        string
	grace                          time.Duration

	logFormat, logLevel string
}

// maxWait is the limit of --wait. No client waits for longer.
const maxWait = 24 * time.Hour

var (
	logFormats = []string{"text", "json"}
	logLevels  = []string{"debug", "info", "warn", "error"}
)

// define defines the flags, in the groups of the help.
func (f *serveFlags) define(cmd *cobra.Command) {
	served := pflag.NewFlagSet("What is served", pflag.ContinueOnError)
	served.StringArrayVar(&f.workspaces, "workspace", nil, "also serve DIR, as NAME (`NAME=DIR`, repeatable)")
	f.toolFlags.define(served, "offer only tools that read")
	allowFlag(served, &f.allow)
	served.DurationVar(&f.wait, "wait", 45*time.Second, "how long a call waits for an answer at the page, where a policy says ask; 0: not at all")

	net := pflag.NewFlagSet("HTTP", pflag.ContinueOnError)
	net.StringVar(&f.http, "http", "", "serve HTTP at `ADDR`, as in 127.0.0.1:7433 or :7433, instead of standard input and output")
	net.StringVar(&f.tokenFile, "token-file", "", "keep the token in `FILE` (default: emend/serve.key in the configuration directory)")
	net.BoolVar(&f.newToken, "new-token", false, "make new tokens; running servers keep the old ones until they restart")
	net.StringVar(&f.uiToken, "ui-token-file", "", "keep the token of the pages in `FILE` (default: emend/ui.key in the configuration directory)")
	net.BoolVar(&f.noUI, "no-ui", false, "serve no pages for people")
	net.BoolVar(&f.remote, "remote", false, "accept other machines, over TLS")
	net.StringVar(&f.cert, "tls-cert", "", "the certificate `FILE`, with its chain, as PEM")
	net.StringVar(&f.key, "tls-key", "", "its key `FILE`, as PEM")
	net.BoolVar(&f.noTLS, "no-tls", false, "with --remote: serve without TLS, behind a proxy that terminates it")

	limits := pflag.NewFlagSet("Limits", pflag.ContinueOnError)
	limits.IntVar(&f.maxCalls, "max-calls", 64, "run `N` calls at once; 16 times as many may wait")
	limits.StringVar(&f.maxBody, "max-body", "32MiB", "refuse a request over `SIZE` (HTTP)")
	limits.IntVar(&f.maxRate, "max-rate", 20000, "refuse more than `N` requests a second of one address (HTTP)")
	limits.IntVar(&f.maxSessions, "max-sessions", 1000, "keep `N` sessions; a further one ends the one that was idle longest (HTTP)")
	limits.DurationVar(&f.grace, "grace", 10*time.Second, "how long running calls may take after a signal")

	logs := pflag.NewFlagSet("The server's own log, on standard error", pflag.ContinueOnError)
	logs.StringVar(&f.logFormat, "log-format", "text", "text or json")
	logs.StringVar(&f.logLevel, "log-level", "", "debug, info, warn or error (default: info with --http, else warn)")

	groups := []*pflag.FlagSet{served, net, limits, logs}
	for _, g := range groups {
		g.SortFlags = false
		cmd.Flags().AddFlagSet(g)
	}
	cmd.SetUsageFunc(func(c *cobra.Command) error { return groupedUsage(c, groups) })
	f.complete(cmd)
}

func (f *serveFlags) complete(cmd *cobra.Command) {
	completeWords(cmd, "profile", tool.ProfileNames())
	completeWords(cmd, "log-format", logFormats)
	completeWords(cmd, "log-level", logLevels)
	completeWords(cmd, "http", []string{"127.0.0.1:7433"})
	for _, flag := range []string{"max-calls", "max-body", "max-rate", "max-sessions", "grace", "allow-protected", "wait"} {
		completeNothing(cmd, flag)
	}
}

// groupedUsage prints the usage of a verb whose flags are in groups.
func groupedUsage(c *cobra.Command, groups []*pflag.FlagSet) error {
	out := c.OutOrStderr()
	fmt.Fprintf(out, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
	for _, g := range groups {
		fmt.Fprintf(out, "\n%s:\n%s", g.Name(), g.FlagUsages())
	}
	_, err := fmt.Fprintf(out, "\n%s\n", globalFlagsHelp)
	return err
}

// check refuses flags that do not go together.
func (f *serveFlags) check(cmd *cobra.Command) error {
	if f.http == "" {
		for _, name := range []string{"token-file", "new-token", "ui-token-file", "no-ui", "remote", "tls-cert", "tls-key", "no-tls", "max-body", "max-rate", "max-sessions"} {
			if cmd.Flags().Changed(name) {
				return usageErrorf("serve", "--%s is for HTTP: say where with --http ADDR", name)
			}
		}
	}
	for name, n := range map[string]int{"max-calls": f.maxCalls, "max-rate": f.maxRate, "max-sessions": f.maxSessions} {
		if n < 1 || n > 1e6 {
			return usageErrorf("serve", "--%s takes a number from 1 to 1000000", name)
		}
	}
	if f.wait < 0 || f.wait > maxWait {
		return usageErrorf("serve", "--wait takes a time of at most %v, as in 45s, or 0", maxWait)
	}
	if f.grace < 0 {
		return usageErrorf("serve", "--grace takes a time, as in 10s, or 0")
	}
	return nil
}

// log returns the logger of the server itself, for people or for programs that collect logs.
func (f *serveFlags) log(to io.Writer) (*slog.Logger, error) {
	name := f.logLevel
	if name == "" {
		name = map[bool]string{true: "info", false: "warn"}[f.http != ""]
	}
	var level slog.Level
	if !slices.Contains(logLevels, name) || level.UnmarshalText([]byte(name)) != nil {
		return nil, usageErrorf("serve", "--log-level: %q is none of %s", f.logLevel, strings.Join(logLevels, ", "))
	}
	o := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(to, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, o)), nil
	}
	return nil, usageErrorf("serve", "--log-format: %q is none of %s", f.logFormat, strings.Join(logFormats, ", "))
}
