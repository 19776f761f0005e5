package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/wire"
)

// joinFlags are the flags of join.
type joinFlags struct {
	ship, allow   string
	name          string
	policy, pack  string
	ack           bool
	ackWait       time.Duration
	hold          time.Duration // how long a command waits to hear whether the workspace is stopped
	options       join.Options
	invite        *wire.Invite
	settled       func(<-chan struct{}) // called for each workspace that is open; may be nil
	dirs, command []string
}

func (a *app) join() *cobra.Command {
	var f joinFlags
	c := &cobra.Command{
		Use:   "join [INVITATION] [DIR]... [-- COMMAND [ARGUMENT]...]",
		Short: "Join workspaces to a hub, and ship their logs",
		Long: `join ships the log of each workspace to a hub, from where the hub's copy ends, and goes
on as the log grows, until it is stopped. It may be stopped and started at any time, and
the hub may be away for days. INVITATION is needed once; then the workspace's key is in
emend-hub/ in your configuration directory. Without DIR it joins the workspace of the
current directory.

With COMMAND, the command starts at once, and join ends when the command has ended, with
its exit code. If the hub may stop the workspace (--allow stop), the command starts when
the hub has said whether it did, or a second later (--hold). With --ack it ends only when
the hub has everything: for sandboxes whose disk vanishes. Without a COMMAND, --ack ships
what there is and ends.

--ship says what leaves the workspace: records (who did what to which file, with hashes),
diffs as well, or contents as well. Files that the policy protects from reading, and what
looks like a key, are not sent. --allow says what the hub may ask for; without it nothing.`,
		Example: `  emend-hub join 'https://hub:7443/join#...'
  emend-hub join --allow undo,approve,stop --ship diffs
  emend-hub join 'https://hub:7443/join#...' --ack -- claude -p 'fix the tests'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, f.command = args[:n], args[n:]
				if len(f.command) == 0 {
					return usage("-- is followed by the command to run")
				}
			}
			return a.runJoin(cmd.Context(), f, args)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.ship, "ship", "records", "what is sent: records, diffs (and records), contents (and both)")
	fl.StringVar(&f.allow, "allow", "none", "what the hub may ask for: undo,approve,policy,stop")
	fl.StringVar(&f.name, "name", "", "the workspace's name at the hub (default: host and directory)")
	fl.StringVar(&f.policy, "policy", "", "policy file; packs are installed there (default: that of emend)")
	fl.StringVar(&f.pack, "pack", "", "the only policy pack that may be installed (default: that of the first)")
	fl.BoolVar(&f.ack, "ack", false, "end only when the hub has acknowledged all records")
	fl.DurationVar(&f.ackWait, "ack-wait", 0, "give up --ack after this time, with exit code 1; 0 is never")
	fl.DurationVar(&f.hold, "hold", time.Second, "how long COMMAND waits with --allow stop for the hub to say whether it stopped the workspace")
	return c
}

func (a *app) runJoin(ctx context.Context, f joinFlags, args []string) (err error) {
	if f.options.Ship, err = wire.ParseShip(f.ship); err != nil {
		return usage("--ship: %w", err)
	}
	if f.options.Allow, err = wire.ParseAllow(f.allow); err != nil {
		return usage("--allow: %w", err)
	}
	if len(args) > 0 {
		if i, err := wire.ParseInvite(args[0]); err == nil {
			f.invite, args = &i, args[1:]
		} else if _, statErr := os.Stat(args[0]); statErr != nil {
			return usage("%q is neither an invitation nor a directory", args[0])
		}
	}
	if f.dirs = args; len(f.dirs) == 0 {
		root, _, err := emend.FindRoot(".")
		if err != nil {
			return err
		}
		f.dirs = []string{root}
	}
	if len(f.command) > 0 && len(f.dirs) > 1 {
		return usage("a command runs in one workspace, and %d are named", len(f.dirs))
	}
	if f.options.PolicyFile = f.policy; f.policy == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return err
		}
		f.options.PolicyFile = filepath.Join(dir, "emend", "policy.toml")
	}
	f.options.PackName, f.options.Log = f.pack, a.logger()
	if len(f.command) == 0 {
		return a.joinAll(ctx, f, nil)
	}
	return a.joinAround(ctx, f)
}

// joinAll joins each directory and ships until ctx ends. With --ack it ends when ended is closed, or is nil, and the hub has everything.
func (a *app) joinAll(ctx context.Context, f joinFlags, ended <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	failed := make(chan error, len(f.dirs))
	for _, dir := range f.dirs {
		all.Go(func() {
			if err := a.joinOne(ctx, f, dir, ended); err != nil {
				failed <- fmt.Errorf("%s: %w", dir, err)
				cancel()
			}
		})
	}
	all.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (a *app) joinOne(ctx context.Context, f joinFlags, dir string, ended <-chan struct{}) error {
	m, err := a.membership(ctx, f, dir)
	if err != nil {
		return err
	}
	o := f.options
	o.Dir, o.Membership = dir, m
	j, err := join.Open(o)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "emend-hub: %s is %q at %s; it sends %s, and allows %s\n", dir, m.Name, m.Hub, o.Ship, o.Allow)
	if f.settled != nil {
		f.settled(j.Settled())
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	done := make(chan error, 1)
	go func() { done <- j.Run(run) }()
	finish := func(err error) error {
		stop()
		return errors.Join(err, <-done, j.Close())
	}
	if f.ack && len(f.command) == 0 {
		return finish(a.flush(ctx, j, f))
	}
	select {
	case err := <-done:
		return errors.Join(err, j.Close())
	case <-ctx.Done():
	case <-ended:
	}
	if f.ack {
		again, stopAgain := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
		defer stopAgain()
		return finish(a.flush(again, j, f))
	}
	brief, stopBrief := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stopBrief()
	if j.Connected() {
		j.Flush(brief) // what is not there yet is shipped the next time
	}
	return finish(nil)
}

// flush waits until the hub has everything.
func (a *app) flush(ctx context.Context, j *join.Join, f joinFlags) error {
	if f.ackWait > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.ackWait)
		defer stop()
	}
	if err := j.Flush(ctx); err != nil {
		return err
	}
	p := j.Progress()
	fmt.Fprintf(a.err, "emend-hub: the hub has all %d records\n", p.Shipped.Seq)
	return nil
}

// membership returns that of a directory, and joins with the invitation if it has none of that hub.
func (a *app) membership(ctx context.Context, f joinFlags, dir string) (*wire.Membership, error) {
	file, err := join.MembershipFile(dir)
	if err != nil {
		return nil, err
	}
	m, err := join.ReadMembership(file)
	switch {
	case err == nil && (f.invite == nil || f.invite.URL == m.Hub):
		return m, nil
	case err != nil && !errors.Is(err, join.ErrNotJoined):
		return nil, err
	case f.invite == nil:
		return nil, fmt.Errorf(`%w; "emend-hub join INVITATION" joins one, and "emend-hub invite" at the hub prints an invitation`, err)
	}
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		if m, err = join.Enrol(ctx, *f.invite, cmp.Or(f.name, nameOf(dir))); err == nil {
			return m, join.WriteMembership(file, m)
		}
		if _, ok := errors.AsType[*join.Rejected](err); ok || ctx.Err() != nil || len(f.command) == 0 {
			return nil, err
		}
		select { // a command runs meanwhile, and the hub may come
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

func nameOf(dir string) string {
	host, err := os.Hostname()
	if abs, absErr := filepath.Abs(dir); absErr == nil {
		dir = abs
	}
	if err != nil {
		return filepath.Base(dir)
	}
	return host + ":" + filepath.Base(dir)
}

// joinAround runs the command and ships beside it. The command starts before anything else, unless the hub may stop the workspace: then it waits
// until the hub said whether the workspace is stopped, or for f.hold.
func (a *app) joinAround(ctx context.Context, f joinFlags) error {
	cmd := exec.Command(f.command[0], f.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Dir = f.dirs[0]
	ended, shipped := make(chan struct{}), make(chan error, 1)
	shipping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ship := func() { shipped <- a.joinAll(shipping, f, ended) }
	if f.options.Allow.Stop {
		open := make(chan (<-chan struct{}), 1)
		f.settled = func(c <-chan struct{}) { open <- c }
		go ship()
		a.hold(ctx, open, f.hold)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// The command gets what the terminal sends by itself. What is sent to this process alone is passed on.
	stop := context.AfterFunc(ctx, func() { cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()
	if !f.options.Allow.Stop {
		go ship()
	}
	err := cmd.Wait()
	close(ended)
	if f.ack {
		if err := <-shipped; err != nil {
			fmt.Fprintln(a.err, "emend-hub: "+err.Error())
			a.code = exitFailed
		}
	} else {
		select {
		case err := <-shipped:
			if err != nil {
				fmt.Fprintln(a.err, "emend-hub: "+err.Error())
			}
		case <-time.After(2 * time.Second):
		}
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if a.code = exit.ExitCode(); a.code < 0 {
			a.code = exitFailed
		}
		return nil
	}
	return err
}

// hold waits until the hub has said whether the workspace that is open is stopped, or until the time is over.
func (a *app) hold(ctx context.Context, open <-chan (<-chan struct{}), most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	var settled <-chan struct{}
	for {
		select {
		case settled = <-open:
			open = nil
		case <-settled:
			return
		case <-ctx.Done():
			return
		case <-late.C:
			fmt.Fprintf(a.err, "emend-hub: the hub has not said within %v whether the workspace is stopped; the command starts\n", most)
			return
		}
	}
}

func (a *app) leave() *cobra.Command {
	return &cobra.Command{
		Use:   "leave [DIR]",
		Short: "Forget the hub that a workspace joined",
		Long: `leave removes the workspace's key and its membership from your configuration directory. What
the hub has stays there. To join again takes a new invitation.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			} else if root, _, err := emend.FindRoot("."); err == nil {
				dir = root
			}
			file, err := join.MembershipFile(dir)
			if err != nil {
				return err
			}
			if _, err := join.ReadMembership(file); errors.Is(err, join.ErrNotJoined) {
				return err
			}
			return os.Remove(file)
		},
	}
}
