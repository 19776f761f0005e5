package cli

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type readFlags struct {
	start, end int
	maxBytes   string
	binary     bool
	anchors    bool
	allow      []string
}

func (a *app) read() *cobra.Command {
	var f readFlags
	cmd := &cobra.Command{
		Use:   "read PATH",
		Short: "Print a file, or some of its lines, and its sha256",
		Long: `read prints the text of PATH to standard output, as agents see it: line ends as LF,
without a byte order mark. On a terminal a header on standard error names the path,
the lines and the sha256, and characters that would control the terminal are shown
as escapes. With --json they are in the result: .data.sha256 is the hash that write,
edit and mv take as --expect, of the whole file even if only some lines are printed.

--anchors puts an anchor, N:HASH, before each line, which 'emend edit' takes as --line,
--end-line and --after. It is valid for this version of the file.

A binary file is refused without --binary, which prints its bytes unchanged to a file
or a pipe, and as base64 with --json.`,
		Example: `  emend read src/main.go
  emend read --start 40 --end 60 src/main.go
  emend read --json src/main.go
  emend read --binary logo.png | file -`,
		SuggestFor: []string{"cat", "view", "less"},
		Args:       exactly("one PATH"),
		RunE:       func(cmd *cobra.Command, args []string) error { return a.runRead(cmd, args[0], f) },
	}
	cmd.Flags().IntVar(&f.start, "start", 0, "the first line to print: `N`, from 1")
	cmd.Flags().IntVar(&f.end, "end", 0, "the last line to print, `N`")
	cmd.Flags().StringVar(&f.maxBytes, "max-bytes", "", "cut the text after `SIZE` (default: no limit)")
	cmd.Flags().BoolVar(&f.binary, "binary", false, "read a binary file as well")
	cmd.Flags().BoolVar(&f.anchors, "anchors", false, "put a name before each line, for edit")
	allowFlag(cmd.Flags(), &f.allow)
	return cmd
}

func (a *app) runRead(cmd *cobra.Command, path string, f readFlags) error {
	limit, err := parseSize(f.maxBytes)
	if err != nil || limit > math.MaxInt {
		return usageErrorf("read", "--max-bytes: %q is not a size: write 500, 64KiB, 16MiB or 1GiB", f.maxBytes)
	}
	for _, name := range []string{"start", "end"} {
		if n, _ := cmd.Flags().GetInt(name); n < 1 && cmd.Flags().Changed(name) {
			return usageErrorf("read", "--%s: lines are counted from 1, got %d", name, n)
		}
	}
	if limit == 0 {
		limit = math.MaxInt
	}
	r := api.ReadRequest{Path: path, StartLine: f.start, EndLine: f.end, MaxBytes: int(limit), AllowBinary: f.binary, Anchors: f.anchors}
	return a.withWorkspace(cmd, "read_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.ReadData], error) { return ws.Read(ctx, r) })
		if err != nil {
			return err
		}
		return a.printFile(answer)
	})
}

// printFile prints the text of a file. On a terminal a header stands before it, and control characters are escaped.
func (a *app) printFile(answer *api.Answer[api.ReadData]) error {
	d := &answer.Data
	if d.Binary && a.ttyOut && !a.json && !a.quiet {
		return &fail.Error{Kind: fail.BinaryFile, Path: d.Path, Msg: "it is binary, and is not printed on a terminal; send it to a file or a pipe, or ask with --json"}
	}
	if a.ttyOut && a.ttyErr && !a.json && !a.quiet {
		fmt.Fprintln(a.err, a.colorize(bold, fileHeader(a.shown(d.Path), d)))
	}
	raw, err := base64.StdEncoding.DecodeString(d.ContentBase64)
	if err != nil {
		return err
	}
	// The note about lines that look like keys is for agents: a person sees the file.
	err = a.printFound(answer.Result(), nil, func(w *bufio.Writer) {
		switch {
		case d.Binary:
			w.Write(raw)
		case a.ttyOut:
			w.WriteString(report.Escape(d.Content))
			if d.Content != "" && !strings.HasSuffix(d.Content, "\n") {
				w.WriteString("\n") // so that the prompt begins on a new line
			}
		default:
			w.WriteString(d.Content)
		}
	})
	a.noteIf(err == nil && d.Encoding == "utf-8-invalid", "the file is not UTF-8: U+FFFD stands for what is none")
	a.noteIf(err == nil && d.Truncated, "%s", truncationNote(d))
	return err
}

// truncationNote says where a text was cut, and how to read on.
func truncationNote(d *api.ReadData) string {
	lines := strings.Count(d.Content, "\n")
	if d.Binary || lines == 0 {
		return "cut by --max-bytes; with a higher one there is more"
	}
	return fmt.Sprintf("cut by --max-bytes; read on with --start %d", d.StartLine+lines)
}

func fileHeader(path string, d *api.ReadData) string {
	lines := fmt.Sprintf("%d line(s)", d.LineCount)
	if d.StartLine > 1 || d.EndLine < d.LineCount {
		lines = fmt.Sprintf("lines %d-%d of %d", d.StartLine, d.EndLine, d.LineCount)
	}
	if d.Binary {
		lines = fmt.Sprintf("binary, %d bytes", d.SizeBytes)
	}
	return fmt.Sprintf("%s  %s  sha256 %s", report.OneLine(path), lines, d.Sha256)
}
