package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is an error in the command line of a verb.
type usageError struct {
	verb string
	err  error
}

func (u *usageError) Error() string { return u.err.Error() }

func (u *usageError) Unwrap() error { return u.err }

func usageErrorf(verb, format string, args ...any) error {
	return &usageError{verb, fmt.Errorf(format, args...)}
}

// exactly takes the named arguments.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usageErrorf(cmd.Name(), "%s takes %s, got %d argument(s)", cmd.Name(), strings.Join(names, " and "), len(args))
	}
}

// atMost takes the named arguments, of which the first least are required.
func atMost(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageErrorf(cmd.Name(), "%s needs %s", cmd.Name(), strings.Join(names[:least], " and "))
		case len(args) > len(names):
			return usageErrorf(cmd.Name(), "%s takes at most %s, got %d arguments", cmd.Name(), strings.Join(names, " and "), len(args))
		}
		return nil
	}
}

// atLeast takes n arguments, which the names describe, or more.
func atLeast(n int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageErrorf(cmd.Name(), "%s needs %s, got %d argument(s)", cmd.Name(), strings.Join(names, " and "), len(args))
		}
		return nil
	}
}

func atMostOneFile(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageErrorf(verb, "one FILE at most, got %d", len(args))
		}
		return nil
	}
}

// oneArgument takes one argument, which what describes.
func oneArgument(verb, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageErrorf(verb, "%s; got %d", what, len(args))
		}
		return nil
	}
}

// onlySubcommands refuses an argument that is not one of the verb's subcommands.
func onlySubcommands(verb, which string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usageErrorf(verb, "%q is none of %s", args[0], which)
	}
}

// argument returns argument n, counted from 0, or standard if it is missing.
func argument(args []string, n int, standard string) string {
	if len(args) > n {
		return args[n]
	}
	return standard
}
