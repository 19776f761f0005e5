// Package cli is emend on the command line. It reads flags, asks the engine, and prints what comes back; it decides
// nothing.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// Main runs emend on the process's own arguments and streams and returns the exit code.
func Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	app := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv,
		tty: isTerminal(os.Stdout), ttyIn: isTerminal(os.Stdin), ttyErr: isTerminal(os.Stderr)}
	app.heeds.Add(1)
	go interrupted(app.heeds.Done, cancel)
	return app.run(ctx, os.Args[1:])
}

// interrupted waits for Ctrl-C; the second one ends the program as it does any other. To be ready for it takes a thread of its
// own, which nobody waits for but who asks a person for input, and who goes on until Ctrl-C: until then it ends the program as
// kill -9 does, or does nothing where the program was started with it ignored.
func interrupted(ready func(), cancel context.CancelFunc) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	ready()
	<-c
	signal.Stop(c)
	cancel()
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// app is one run: where it reads and writes, and the flags that every verb has.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	tty      bool // out is a terminal
	ttyIn    bool
	ttyErr   bool
	stop     <-chan struct{} // closed when a person presses Ctrl-C
	heeds    sync.WaitGroup  // until somebody listens for that

	dir     string
	root    string
	json    bool
	quiet   bool
	noColor bool
	noPager bool

	store      string
	policy     string
	session    string
	agent      string
	durability string
	unsafe     bool
	calm       bool // say nothing of what opening the workspace recovered

	began bool // the flags and arguments were taken
	did   bool // what was asked for is done, and only the answer is left to print
}

func (a *app) run(ctx context.Context, args []string) int {
	a.stop = ctx.Done()
	out := &output{Writer: a.out}
	a.out = out
	cmd := a.command(args...)
	cmd.SetArgs(args)
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	err := cmd.ExecuteContext(ctx)
	u, ok := errors.AsType[*usage](err)
	if err != nil && !ok && !a.began && out.err == nil { // of the command line's own parser
		u, ok = &usage{"", err}, true
		err = u
	}
	if ok {
		fmt.Fprintf(a.err, "emend: %s\nTry '%s --help'.\n", report.Escape(u.Error()), strings.TrimSpace("emend "+u.verb))
	} else if err != nil && !errors.Is(err, errSaid) && (out.err == nil || !errors.Is(err, out.err)) {
		a.failed(err)
	}
	return a.end(out, err)
}

// failed says an error that nobody has said yet: with --json as a result, which has its kind and the next step.
func (a *app) failed(err error) {
	e, ours := errors.AsType[*fail.Error](err)
	switch {
	case ours && a.json:
		if a.printJSON(report.Of(report.View{Reads: true}, nil, err)) == nil {
			return
		}
		fallthrough
	case ours:
		fmt.Fprintf(a.err, "emend: %s\n", report.Explain(e))
	default:
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	}
}

// patient reads until it is told to stop: who presses Ctrl-C is not kept waiting for the end of standard input.
type patient struct {
	stop <-chan struct{}
	r    io.Reader
	buf  []byte // of the read in hand, which may outlive the patience with it
}

// stdin is standard input, until Ctrl-C.
func (a *app) stdin() io.Reader { return &patient{stop: a.stop, r: a.in} }

func (p *patient) Read(b []byte) (int, error) {
	if p.buf == nil {
		p.buf = make([]byte, 1<<16)
	}
	type got struct {
		n   int
		err error
	}
	buf, done := p.buf[:min(len(b), len(p.buf))], make(chan got, 1)
	go func() {
		n, err := p.r.Read(buf)
		done <- got{n, err}
	}()
	select {
	case g := <-done:
		return copy(b, buf[:g.n]), g.err
	case <-p.stop:
		p.buf = nil
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "interrupted; nothing was changed"}
	}
}

func (a *app) enter() error {
	a.began = true
	if a.durability != "full" && a.durability != "none" {
		return badUse("", "--durability: %q is none of full, none", a.durability)
	}
	if a.dir == "" {
		return nil
	}
	if err := os.Chdir(a.dir); err != nil {
		return &usage{"", err}
	}
	return nil
}

// open opens the workspace that the current directory belongs to.
func (a *app) open(o ...emend.Option) (*emend.Workspace, error) {
	root, base := a.root, ""
	if root == "" {
		var err error
		if root, base, err = emend.FindRoot("."); err != nil {
			return nil, err
		}
	} else {
		var err error
		if base, err = below(root); err != nil {
			return nil, &usage{"", err}
		}
	}
	mine, err := a.options()
	if err != nil {
		return nil, err
	}
	ws, err := emend.Open(root, append(append(o, emend.Base(base)), mine...)...)
	if err != nil {
		return nil, err
	}
	a.tell(ws)
	return ws, nil
}

// options are what the flags of every verb say of the workspace.
func (a *app) options() ([]emend.Option, error) {
	out := []emend.Option{emend.By(emend.Actor{Client: "cli", Session: a.session, Agent: a.agent})}
	file, err := a.policyFile()
	if err != nil {
		return nil, err
	}
	if file != "" {
		out = append(out, emend.Policy(file))
	}
	if a.store != "" {
		out = append(out, emend.Store(a.store))
	}
	if a.durability == "none" {
		out = append(out, emend.NoSync())
	}
	if a.unsafe {
		out = append(out, emend.UnsafeFS())
	}
	return out, nil
}

// policyFile is the policy that was named, or the person's own if there is one.
func (a *app) policyFile() (string, error) {
	if a.policy != "" {
		return a.policy, nil
	}
	dir, err := a.configDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "emend", "policy.toml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return file, nil
}

// configDir is where programs keep what the person configured. Without a HOME it is sought where the account has its own:
// a policy must not vanish because a service was started without an environment.
func (a *app) configDir() (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil {
		return dir, nil
	}
	if a.env("XDG_CONFIG_HOME") != "" {
		return "", &usage{"", err}
	}
	who, err := user.Current()
	if err != nil || who.HomeDir == "" {
		return "", badUse("", "nobody knows where the policy is: set HOME, or name it with --policy")
	}
	return filepath.Join(who.HomeDir, ".config"), nil
}

// tell says what opening the workspace found of an earlier run.
func (a *app) tell(ws *emend.Workspace) {
	if a.calm {
		return
	}
	r, err := ws.Recovered()
	if err != nil {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	} else if r != nil && !a.quiet {
		fmt.Fprintf(a.err, "emend: %s\n", tool.Recovered(r))
	}
}

// text reads the argument FILE, or standard input without one or for "-".
func (a *app) text(args []string, most int64) (text string, err error) {
	if len(args) == 0 || args[0] == "-" {
		a.invite("a patch", "it")
		text, err = readText(a.stdin(), sizeOf(a.in), most)
	} else {
		text, err = readFile(args[0], most)
	}
	if errors.Is(err, fail.CommandFailed) {
		return "", err
	}
	if err != nil {
		return "", &usage{"", err}
	}
	return text, nil
}

// invite tells a person at a terminal to type; Ctrl-C is heeded from then on.
func (a *app) invite(what, it string) {
	if !a.ttyIn {
		return
	}
	a.heeds.Wait()
	if !a.quiet {
		fmt.Fprintf(a.err, "emend: reading %s from the terminal; end %s with Ctrl-D\n", what, it)
	}
}

// upTo is r to its end, or one byte further than is allowed: the engine then says what the limit is.
func upTo(r io.Reader, most int64) *io.LimitedReader {
	if most <= 0 {
		most = emend.DefaultLimits.PatchBytes
	}
	return &io.LimitedReader{R: r, N: most + 1}
}

func readAll(r io.Reader, most int64) ([]byte, error) { return io.ReadAll(upTo(r, most)) }

// readText reads what has about size bytes; memory that has to grow takes as long as parsing.
func readText(r io.Reader, size, most int64) (string, error) {
	var text strings.Builder
	in := upTo(r, most)
	text.Grow(int(min(size, in.N)))
	_, err := io.Copy(&text, in)
	return text.String(), err
}

// sizeOf is how large a file is, and 0 of anything else.
func sizeOf(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	is, err := f.Stat()
	if err != nil || !is.Mode().IsRegular() {
		return 0
	}
	return is.Size()
}

func readFile(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readText(f, sizeOf(f), most)
}

func (a *app) color() bool { return a.tty && !a.noColor && a.env("NO_COLOR") == "" }

func (a *app) printJSON(v any) error {
	enc := newEncoder(a.out)
	return enc.Encode(v)
}

// usage is an error in how emend was called.
type usage struct {
	verb string
	err  error
}

func (u *usage) Error() string { return u.err.Error() }
func (u *usage) Unwrap() error { return u.err }
func badUse(verb, format string, args ...any) error {
	return &usage{verb, fmt.Errorf(format, args...)}
}

func atMostOne(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return badUse(verb, "one FILE at most, got %d", len(args))
		}
		return nil
	}
}
