package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/tool"
)

type serveFlags struct {
	http        string
	profile     string
	lenient     bool
	readOnly    bool
	requireHash bool
	allow       []string
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve the tools to agents, over MCP",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.runServe(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.http, "http", "", "serve HTTP at `ADDR` instead of standard input and output")
	fl.StringVar(&f.profile, "profile", "emend", "the tools of which system: "+strings.Join(tool.ProfileNames(), ", "))
	fl.BoolVar(&f.lenient, "lenient", false, "apply_patch lets pass what sloppy models write, unless the call says otherwise")
	fl.BoolVar(&f.readOnly, "read-only", false, "offer only the tools that read")
	fl.BoolVar(&f.requireHash, "require-hash", false, "demand a sha256 of every file that is changed, also where a tool leaves it open")
	fl.StringArrayVar(&f.allow, "allow-protected", nil, "open protected paths that match `PATTERN` (repeatable)")
	complete(cmd, "profile", tool.ProfileNames())
	return cmd
}

func (a *app) runServe(cmd *cobra.Command, args []string, f serveFlags) error {
	profile, ok := tool.ProfileNamed(f.profile)
	if !ok {
		return badUse("serve", "--profile: %q is none of %s", f.profile, strings.Join(tool.ProfileNames(), ", "))
	}
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	mine, err := a.options()
	if err != nil {
		return err
	}
	ws, err := emend.Open(dir, append(mine, emend.AllowProtected(f.allow...))...)
	if err != nil {
		return err
	}
	defer ws.Close()
	defer runtime.KeepAlive(make([]byte, spare))
	s := mcp.New(mcp.Config{Workspaces: []mcp.Workspace{{Workspace: ws}}, Version: emend.Version().Version,
		Tools: tool.Options{Profile: profile, ReadOnly: f.readOnly, RequireHash: f.requireHash, Lenient: f.lenient}})
	if f.http == "" {
		return s.Stdio(cmd.Context(), io.NopCloser(a.in), noClose{a.out})
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "emend: serving http://%s/mcp\n", l.Addr())
	return http.Serve(l, s.Handler(mcp.HTTPConfig{Token: os.Getenv("EMEND_TOKEN")}))
}

// spare is memory that is never touched, and so takes none of the machine's: with it the collector waits for some megabytes
// of garbage. A server has so little that lives that it would run every few calls.
const spare = 16 << 20

type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }
