package read

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/credential"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// File returns the text of a file, or some of its lines. It reads the file once and holds no more than the part that
// was asked for. A link inside the workspace is followed.
func File(ctx context.Context, w *workspace.Workspace, r api.ReadRequest) (*api.Answer[api.ReadData], error) {
	if err := checkRequest(r); err != nil {
		return nil, err
	}
	asks := caller.NewAskedPaths(ctx)
	e, err := w.Guard.Resolve(r.Path, guard.Request{Base: w.DefaultBase(), Absolute: caller.AbsolutePaths(ctx), Follow: true, Asked: asks})
	if err != nil {
		return nil, err
	}
	if e.Kind == guard.Missing {
		return nil, notFound(w, r.Path, e)
	}
	whole := w.NewCapture()
	a, err := readEntry(ctx, w, r, e, whole)
	if refused := askForRead(ctx, w, asks, r, a); refused != nil {
		return nil, refused
	}
	if err == nil && !a.Data.Binary && len(asks.List()) == 0 {
		w.NoteRead(whole, e.Rel, a.Data.Sha256)
		w.NoteKnown(caller.Actor(ctx).Session, e.Rel, a.Data.Sha256)
	}
	return a, err
}

// readEntry reads the file that was found at the path. whole gets all of it, whatever part was asked for.
func readEntry(ctx context.Context, w *workspace.Workspace, r api.ReadRequest, e guard.Entry, whole *workspace.Capture) (*api.Answer[api.ReadData], error) {
	maxBytes := min(cmp.Or(r.MaxBytes, api.DefaultReadBytes), math.MaxInt-8)
	first := max(r.StartLine, 1)
	s := newScanner(first, cmp.Or(r.EndLine, math.MaxInt), maxBytes, r.AllowBinary)
	size, err := w.Guard.ReadBlocks(ctx, e, func(b []byte) error {
		whole.Add(b)
		return s.add(b)
	})
	if errors.Is(err, errBinary) {
		err = &fail.Error{Kind: fail.BinaryFile, Path: e.Rel, Msg: "the file is binary: there is a NUL in its first 8192 bytes",
			Hint: "To get its bytes, read it with ‹allowBinary›."}
	}
	if err == nil && s.binary && (r.StartLine > 1 || r.EndLine > 0) {
		err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: e.Rel, Msg: "the file is binary and has no lines",
			Hint: "Leave out ‹startLine› and ‹endLine›; ‹maxBytes› says how much of it to return."}
	}
	if err != nil {
		return nil, err
	}
	d := api.ReadData{Path: e.Rel, SizeBytes: size, Sha256: s.sum(), Binary: s.binary, HasBOM: s.hasBOM}
	if s.binary {
		s.fillBinary(&d, maxBytes)
	} else {
		s.fillText(&d, first, maxBytes)
	}
	notes, shown := keyNotes(&d), len(d.Content)
	if r.Anchors {
		d.Content = anchored(&d)
	}
	return report.Found(d, notes, func() string { return readText(&d, shown, e.Via, notes) }), nil
}

// keyNotes notes lines of the returned text that look like keys.
func keyNotes(d *api.ReadData) []string {
	hits := credential.Find(d.Content)
	for i := range hits {
		hits[i].Line += d.StartLine - 1
	}
	if len(hits) == 0 {
		return nil
	}
	return []string{credential.Note(hits) + doNotRepeat}
}

const doNotRepeat = ". Do not repeat it, and do not send it anywhere."

func (s *scanner) fillBinary(d *api.ReadData, maxBytes int) {
	n := min(len(s.kept), maxBytes)
	d.Encoding, d.NewlineStyle, d.Truncated = "binary", "none", n < len(s.kept)
	d.ContentBase64 = base64.StdEncoding.EncodeToString(s.kept[:n])
}

func (s *scanner) fillText(d *api.ReadData, first, maxBytes int) {
	d.Encoding, d.NewlineStyle, d.LineCount = "utf-8", s.newlineStyle(), s.lineCount()
	if !s.utf8.ok() {
		d.Encoding = "utf-8-invalid"
	}
	d.Content, d.Truncated = s.content(maxBytes)
	d.StartLine, d.EndLine = first, first-1+strings.Count(d.Content, "\n")
	if d.Content != "" && !strings.HasSuffix(d.Content, "\n") {
		d.EndLine++
	}
}

// anchored returns the content with the anchor of each line before it. A line that is cut has none.
func anchored(d *api.ReadData) string {
	var out strings.Builder
	n := d.StartLine
	for line := range strings.Lines(d.Content) {
		if strings.HasSuffix(line, "\n") || !d.Truncated {
			out.WriteString(text.Anchor(d.Sha256, n) + "|")
		}
		out.WriteString(line)
		n++
	}
	return out.String()
}

// checkRequest refuses numbers that no file could satisfy.
func checkRequest(r api.ReadRequest) error {
	switch {
	case r.StartLine < 0:
		return badNumber("startLine", r.StartLine, "Lines count from 1; leave ‹startLine› out to begin with the first.")
	case r.EndLine < 0:
		return badNumber("endLine", r.EndLine, "Lines count from 1; leave ‹endLine› out to read to the end.")
	case r.EndLine > 0 && r.EndLine < r.StartLine:
		return badNumber("endLine", r.EndLine, fmt.Sprintf("‹startLine› is %d; ‹endLine› must not be less.", r.StartLine))
	case r.MaxBytes < 0:
		return badNumber("maxBytes", r.MaxBytes, fmt.Sprintf("Leave ‹maxBytes› out for %d bytes.", api.DefaultReadBytes))
	}
	return nil
}

func badNumber(field string, got int, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s is %d", field, got), Hint: hint}
}

// askForRead asks a person before the caller learns anything of a file that may be read only with approval: its text,
// or why it cannot be read. a is nil if reading failed.
func askForRead(ctx context.Context, w *workspace.Workspace, asks *guard.AskedPaths, r api.ReadRequest, a *api.Answer[api.ReadData]) error {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %d %t %t\n", r.Path, r.StartLine, r.EndLine, r.MaxBytes, r.AllowBinary, r.Anchors)
	if a != nil {
		fmt.Fprintln(h, a.Data.Sha256)
	}
	_, err := consent.Ask(ctx, w, asks.List(), "", h)
	return err
}

// notFound refuses a path without a file, and suggests names that are spelled alike.
func notFound(w *workspace.Workspace, asked string, e guard.Entry) error {
	err := &fail.Error{Kind: fail.NotFound, Path: asked, Msg: "no such file", Hint: "Check the path, or list the directory that should have it."}
	if e.Via != "" {
		err.Msg = "the link leads to " + fail.Quote(e.Rel) + ", where there is no file"
	}
	if !e.HasParent {
		err.Msg = "no such file, and no such directory " + fail.Quote(path.Dir(e.Rel))
	}
	if near := fail.Alike(path.Base(e.Rel), w.Guard.Siblings(e)); len(near) > 0 {
		for i, name := range near {
			near[i] = fail.Quote(path.Join(path.Dir(e.Rel), name))
		}
		err.Hint = "Did you mean " + strings.Join(near, " or ") + "? Else list its directory."
	}
	return err
}

// readText formats the data for a model: a line about the file, its content unchanged, and how to read on if the
// content is cut after the bytes that are shown.
func readText(d *api.ReadData, shown int, via string, notes []string) string {
	facts := []string{report.OneLine(d.Path), "sha256 " + d.Sha256, lineSpan(d), fmt.Sprintf("%d bytes", d.SizeBytes)}
	switch {
	case d.Binary:
		facts = append(facts, "binary, in base64")
	case d.NewlineStyle == "none":
		facts = append(facts, "no newline")
	default:
		facts = append(facts, d.NewlineStyle)
	}
	if d.HasBOM {
		facts = append(facts, "with BOM")
	}
	if d.Encoding == "utf-8-invalid" {
		facts = append(facts, "not UTF-8: U+FFFD stands for a byte that edits keep but this text does not show")
	}
	if via != "" {
		facts = append(facts, "reached through the link "+report.Escape(via))
	}
	for _, n := range notes {
		facts = append(facts, "Note: "+n)
	}
	out := strings.Join(facts, "  ") + "\n" + d.Content + d.ContentBase64
	if !d.Truncated {
		return out
	}
	if !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out + readOnHint(d, shown)
}

func lineSpan(d *api.ReadData) string {
	switch {
	case d.Binary:
		return "no lines"
	case d.EndLine < d.StartLine:
		return fmt.Sprintf("no lines of %d", d.LineCount)
	}
	return fmt.Sprintf("lines %d-%d of %d", d.StartLine, d.EndLine, d.LineCount)
}

// readOnHint says where the content is cut and how to ask for more.
func readOnHint(d *api.ReadData, shown int) string {
	if d.Binary {
		return "… cut; read it with a larger maxBytes for more"
	}
	next := d.StartLine + strings.Count(d.Content, "\n")
	where := fmt.Sprintf("… cut after %d bytes at line %d; ", shown, next)
	if next == d.StartLine {
		return where + "that line is longer: read it with a larger maxBytes"
	}
	return where + fmt.Sprintf("read on with startLine %d", next)
}
