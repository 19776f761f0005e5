package plan

import (
	"maps"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/plan/internal/suggest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// edit places the hunks of the section in step.Before.
func (b *builder) edit(s *patch.Section, step *Step) error {
	if len(s.Hunks) == 0 {
		step.After, step.AfterSum = step.Before, step.BeforeSum
		return nil
	}
	if text.Binary(step.Before) {
		return &fail.Error{Kind: fail.BinaryFile, Path: s.Path, Msg: "the file is binary; a patch of lines cannot change it",
			Hint: "Delete the file and add a new one, or write it with another tool."}
	}
	if step.seen != nil {
		return b.mergeSeen(s, step)
	}
	p := b.find(s, step.Before)
	out, err := settle(p, b.repeatMode(s, step), b.explain)
	if b.survey != nil {
		b.survey.noteHunks(p)
	}
	if err != nil {
		if ok, conflict := b.mergeEarlier(s, step, err); ok || conflict != nil {
			return conflict
		}
		b.noteMissingMarks(s, p)
		return err
	}
	if step.Hunks = p.Landed(); out == nil {
		step.After, step.AfterSum = step.Before, step.BeforeSum
		return nil
	}
	step.After, step.AfterSum, step.Edits, step.Bytes = out.After, out.Sum, out.Edits, out.Bytes
	if p.File.OnlyLF() {
		step.Edits, step.Bytes = text.Between(step.Before, step.After), nil
	}
	return nil
}

// settle returns what becomes of the file of p, or every reason why not. The result is nil if all hunks are already
// applied and skipped.
func settle(p *place.Placement, mode repeat.Mode, explain func(*place.Placement, fail.List)) (*place.Result, error) {
	if err := p.Limit(); err != nil {
		return nil, err
	}
	if all := repeat.Find(p, mode); all && mode >= repeat.Skip {
		return nil, nil
	}
	if errs := p.Errors(); len(errs) > 0 {
		if explain != nil {
			explain(p, errs)
		}
		return nil, errs
	}
	return p.Result(), nil
}

// explain adds to the refusals errs what would have worked.
func (b *builder) explain(p *place.Placement, errs fail.List) {
	if !b.attempt {
		maps.Copy(b.corrections, suggest.Hunks(p, b.sections, errs, b.opts.Print))
		b.doubtApplied(p, errs)
		tellApart(p, errs)
	}
}

// doubtApplied takes back of hunks without an anchor that they are applied if what they remove is in the file: then nothing says which of the
// two places is meant. Whoever asks for it has them skipped all the same.
func (b *builder) doubtApplied(p *place.Placement, errs fail.List) {
	if p.Rules.Place != dialect.Ordered {
		return
	}
	var hunks []int
	var at fail.List
	for _, e := range errs {
		if e.Already && e.Hunk > 0 && len(p.Hunks[e.Hunk-1].Anchors) == 0 {
			hunks, at = append(hunks, e.Hunk-1), append(at, e)
		}
	}
	for i, there := range repeat.Removable(p, hunks) {
		if there {
			at[i].Already = false
			at[i].Msg = "what it adds is there already, and what it removes stands elsewhere"
			at[i].Hint = "Leave this hunk out if it is applied‹idempotent:, or send the patch with {}, which skips it›; else send it with the lines around the place that is meant."
		}
	}
}

// tellApart shows of hunks with several places what stands around each.
func tellApart(p *place.Placement, errs fail.List) {
	for _, e := range errs {
		if e.Kind == fail.MultipleMatches {
			refusal.TellApart(e, p.File, 1)
		}
	}
}

// repeatMode says what becomes of hunks of s that are already applied. What an earlier section wrote was not there when
// the patch was sent, and a hash that holds says that nothing was applied since the file was read.
func (b *builder) repeatMode(s *patch.Section, step *Step) repeat.Mode {
	_, hashed := b.opts.Expect[s.Path]
	switch _, written := b.state[step.Source.Place]; {
	case written:
		return repeat.Ignore
	case !b.opts.Idempotent:
		return repeat.Tell
	case hashed:
		return repeat.Skip
	}
	return repeat.SkipEdges
}
