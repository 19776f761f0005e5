package cli

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/gate"
	"github.com/emend-dev/emend/internal/front/web"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

type uiFlags struct {
	addr     string
	noOpen   bool
	editor   string
	readOnly bool
	untilEOF bool
}

func (a *app) ui() *cobra.Command {
	var f uiFlags
	cmd := &cobra.Command{
		Use:   "ui [DIR]",
		Short: "Show what agents did, in a browser, and undo it",
		Long: `ui serves a page, on this machine only, with what agents changed in DIR, or in the
workspace of the current directory: every change as it comes, with its diff; the calls
that wait for your answer; the trash; and the history of each file. Buttons undo a
change, a file or a session, and first show what they would do.

It prints the address and opens it in the browser. The address has a token, which is
new each time: whoever has it can do there what you can. Ctrl-C ends it.

With --editor the diffs link to your editor, which opens the file at the change.`,
		Example: `  emend ui
  emend ui ~/src/shop --no-open --addr 127.0.0.1:7434
  emend ui --read-only
  emend ui --editor vscode`,
		Args: atMost(0, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runUI(cmd.Context(), args, &f) },
	}
	cmd.Flags().StringVar(&f.addr, "addr", "127.0.0.1:0", "serve at `ADDR`, which must be this machine's own; port 0 is any free one")
	cmd.Flags().BoolVar(&f.noOpen, "no-open", false, "print the address, and open no browser")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only show: nothing can be changed or answered from the page")
	cmd.Flags().StringVar(&f.editor, "editor", "", "link to an `EDITOR`: "+strings.Join(web.EditorNames(), ", ")+", or an address such as vscode://file{path}:{line}")
	cmd.Flags().BoolVar(&f.untilEOF, "until-eof", false, "end when standard input ends, for programs that start it")
	completeNothing(cmd, "addr")
	completeWords(cmd, "editor", web.EditorNames())
	return cmd
}

func (a *app) runUI(ctx context.Context, args []string, f *uiFlags) error {
	addr, err := f.address()
	if err != nil {
		return err
	}
	var editor web.Editor
	if f.editor != "" {
		if editor, err = web.ParseEditor(f.editor); err != nil {
			return usageErrorf("ui", "--editor: %w", err)
		}
	}
	ws, err := a.openForUI(args)
	if err != nil {
		return err
	}
	defer ws.Close()
	ctx, stop := cancelOnSignal(ctx)
	defer stop()
	if f.untilEOF {
		go func() {
			io.Copy(io.Discard, a.in) //nolint:errcheck // an input that cannot be read has ended
			stop()
		}()
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot serve at %s: %w; name another port, or 0 for a free one", fail.Quote(f.addr), err)
	}
	token, log := newToken(), slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelError}))
	site := web.New(web.Config{Workspaces: []web.Workspace{{Name: defaultWorkspace, Workspace: ws}}, Token: token, ReadOnly: f.readOnly, Editor: editor,
		Version: emend.Version().Version, Log: log})
	a.announceUI(fmt.Sprintf("http://%s%s#token=%s", l.Addr(), web.Base, token), f) // the browser is started outside of the wall
	a.enterLandlock([]tool.Workspace{{Name: defaultWorkspace, Workspace: ws}}, log)
	return servePages(ctx, l, site)
}

// openForUI opens the workspace without recovering it: the page has a button for that.
func (a *app) openForUI(args []string) (*emend.Workspace, error) {
	if len(args) > 0 {
		if a.root != "" {
			return nil, usageErrorf("ui", "DIR and --root do not go together: leave one out")
		}
		a.root = args[0]
	}
	return a.open(emend.NoRecovery())
}

func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// announceUI prints the address of the page to standard output, where programs read it, and opens a browser for a
// person.
func (a *app) announceUI(url string, f *uiFlags) {
	if a.json {
		a.printJSON(map[string]string{"url": url}) //nolint:errcheck // a.out keeps the error
	} else {
		fmt.Fprintln(a.out, url)
	}
	a.done = true
	if f.noOpen || !a.ttyOut {
		return
	}
	if err := openBrowser(url, a.env); err != nil && !a.quiet {
		fmt.Fprintf(a.err, "emend: no browser was opened (%v): open the address yourself\n", err)
	}
}

// address returns the address to listen at, which must be of this machine.
func (f *uiFlags) address() (*net.TCPAddr, error) {
	addr, err := resolveAddr(f.addr)
	if err != nil {
		return nil, usageErrorf("ui", "--addr: %s is not an address: write 127.0.0.1:7434, or :0 for any free port (%w)", fail.Quote(f.addr), err)
	}
	if !addr.IP.IsLoopback() {
		return nil, usageErrorf("ui", "--addr: %s can be reached from other machines: say 127.0.0.1, and reach it from elsewhere through ssh -L", fail.Quote(f.addr))
	}
	return addr, nil
}

// resolveAddr resolves an address to listen at. Without a host it is one of this machine alone.
func resolveAddr(addr string) (*net.TCPAddr, error) {
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	return net.ResolveTCPAddr("tcp", addr)
}

// maxConnections bounds the connections of browsers.
const maxConnections = 512

// servePages serves until ctx is done, and then ends every stream.
func servePages(ctx context.Context, l net.Listener, site *web.Site) error {
	srv := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	defer site.Close()
	context.AfterFunc(ctx, func() {
		site.Close()
		srv.Close()
	})
	err := srv.Serve(gate.LimitConns(l, maxConnections, func() {}))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
