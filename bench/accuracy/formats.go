package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	tools "github.com/emend-dev/emend/profile"
)

// formats are the ways to write the same hunks that emend reads: dialects, judged in memory, and tools, called in a workspace. Hunks
// that are not unique get more context, whatever the format has instead.
var formats = []profile{
	{name: "emend", dialect: dialect.Emend},
	{name: "emend --lenient", dialect: dialect.Emend, options: dialect.Options{Lenient: true}},
	{name: "comma", dialect: dialect.Comma},
	{name: "codex dialect", dialect: dialect.Codex},
	{name: unifiedName, way: damage.InUnified, dialect: dialect.Unified},
	{name: unifiedLenient, way: damage.InUnified, dialect: dialect.Unified, options: dialect.Options{Lenient: true}},
	{name: unifiedOnRecord, way: damage.InUnified, dialect: dialect.Unified, options: dialect.Options{Lenient: true}, seen: onRecord},
	{name: "search-replace", way: damage.InBlocks, dialect: dialect.SearchReplace},
	{name: "search-replace --lenient", way: damage.InBlocks, dialect: dialect.SearchReplace, options: dialect.Options{Lenient: true}},
	{name: "openai", way: damage.InBody, dialect: dialect.Emend, tool: [2]string{"openai", "apply_patch"}},
	{name: "edit_file, texts", way: damage.AsEdits, dialect: dialect.Emend, tool: [2]string{"emend", "edit_file"}},
	{name: "edit_file, anchors", way: damage.AsLines, dialect: dialect.Emend, tool: [2]string{"emend", "edit_file"}},
	{name: "anthropic", way: damage.AsCalls, dialect: dialect.Emend, tool: [2]string{"anthropic", "str_replace_based_edit_tool"}},
}

// Names of the formats that the programs are held against, and of the whole file, of which only the size is measured.
const (
	unifiedName     = "unified"
	unifiedLenient  = "unified --lenient"
	unifiedOnRecord = "unified --lenient, on record"
	wholeFile       = "write_file"
)

// formatsRight lists the formats that must never land anything wrong.
func formatsRight() (out []string) {
	for _, p := range formats {
		if p.dialect != dialect.Codex { // it keeps the letter of Codex
			out = append(out, p.name)
		}
	}
	return out
}

// formatKinds lists the damages of formats: those of all that are not about an envelope or a path, and those of one format.
func formatKinds() (out [][]damage.Kind) {
	for _, k := range damage.Kinds {
		if !k.Envelope && k.Name != "cut off and ended" || k.Name == "right header numbers" {
			out = append(out, []damage.Kind{k})
		}
	}
	for _, k := range damage.FormatKinds {
		out = append(out, []damage.Kind{k})
	}
	return out
}

// mint returns the anchor that read_file gives a line.
func mint(content string, line int) string { return text.Anchor(text.Sum(content), line) }

// arguments returns the arguments of the calls that send a text to a tool.
func (p *profile) arguments(c *damage.Case, sent string) (calls []json.RawMessage) {
	object := func(v any) []json.RawMessage { return []json.RawMessage{json.RawMessage(quoted(v))} }
	switch {
	case p.way == damage.InBody:
		return object(map[string]string{"type": "update_file", "path": c.Path, "diff": sent})
	case p.way == damage.AsCalls:
		for line := range strings.SplitSeq(strings.TrimSuffix(sent, "\n"), "\n") {
			calls = append(calls, json.RawMessage(line))
		}
		return calls
	case p.tool == [2]string{}:
		return object(map[string]string{"patch": sent})
	}
	return []json.RawMessage{json.RawMessage(sent)}
}

// asCall returns how many bytes of arguments a model writes to send a text.
func (p *profile) asCall(c *damage.Case, sent string) (n int) {
	for _, a := range p.arguments(c, sent) {
		n += len(a)
	}
	return n
}

// wholeRecord is the size of the change as the whole file.
func wholeRecord(c *damage.Case) record {
	args := quoted(map[string]string{"path": c.Path, "content": c.Want, "expectedSha256": text.Sum(c.Read)})
	return record{system: wholeFile, kind: "none", sent: len(c.Want), asCall: len(args)}
}

// desk is a workspace in which tools are called, made when it is needed.
type desk struct {
	scratch, dir string
	ws           *emend.Workspace
}

func (d *desk) open() (err error) {
	if d.ws != nil {
		return nil
	}
	if d.dir, err = os.MkdirTemp(d.scratch, "desk"); err == nil {
		d.ws, err = emend.Open(d.dir, emend.AllowProtected("**"), emend.NoSync())
	}
	return err
}

func (d *desk) close() {
	if d.ws != nil {
		d.ws.Close()
	}
	os.RemoveAll(d.dir)
}

// sender returns how a tool is called. Calls are made one after the other, whatever the ones before were answered, as a client makes those
// of one turn.
func (d *desk) sender(p *profile) sender {
	return func(ctx context.Context, c *damage.Case, sent string) (reply, error) {
		if err := d.open(); err != nil {
			return reply{}, err
		}
		if err := writeFile(d.dir, c.Path, c.Disk); err != nil {
			return reply{}, err
		}
		ok, shown := true, 0
		var said answer
		for _, args := range p.arguments(c, sent) {
			r := tools.Call(ctx, d.ws, p.tool[0], p.tool[1], args)
			if ok = ok && r.OK(); !r.OK() {
				shown += len(r.Text())
				var err error
				if said, err = toldBy(r); err != nil {
					return reply{}, err
				}
			}
		}
		now, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(c.Path)))
		if err != nil {
			return reply{}, err
		}
		out := judgeFiles(c, map[string]string{c.Path: string(now)}, ok)
		if !ok {
			out.shown = shown
			if said.OK = false; p.way != damage.AsCalls { // its results have nothing but text
				out.answer = said
			}
		}
		return out, nil
	}
}

// toldBy returns what the machine-readable part of a refusal says, which some profiles have in _meta.
func toldBy(r any) (answer, error) {
	var whole struct {
		answer
		Meta struct {
			Error *failure `json:"error"`
		} `json:"_meta"`
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, &whole)
	}
	if whole.Error == nil {
		whole.Error = whole.Meta.Error
	}
	return whole.answer, err
}

// beaten is a case that a program landed right, with what became of it as a unified diff in emend.
type beaten struct {
	peer, kind      string
	strict, lenient outcome
}

// besides returns the case if the program landed it and that was no luck. git apply --3way knows the file that the author saw, and is held
// against emend with that file on record.
func besides(rec record, all []emendTrial) []beaten {
	strict, lenient := of(unifiedName, all), of(unifiedLenient, all)
	if rec.system == threeWay {
		lenient = of(unifiedOnRecord, all)
	}
	if rec.first != landed || rec.untellable || rec.onlyRefusal || strict == nil || lenient == nil {
		return nil
	}
	return []beaten{{rec.system, rec.kind, strict.first.outcome, lenient.first.outcome}}
}

// measureFormats runs the benchmark for all formats.
func (b *bench) measureFormats(ctx context.Context) (err error) {
	if b.corpus == nil {
		if b.corpus, err = readCorpus(ctx, b.which, b.half, b.log); err != nil {
			return err
		}
	}
	b.systems = slices.Clone(formats)
	if err := b.scan(ctx); err != nil || b.show != nil && b.ours(b.show.system) {
		return err
	}
	b.beside, b.pairs = newTally(), newTally()
	if b.peersToo {
		b.peers = unifiedPeers(ctx)
		b.beside, err = b.ask(ctx, "every kind alone, everybody", b.damages, b.perKind, b.peers)
	}
	return err
}
