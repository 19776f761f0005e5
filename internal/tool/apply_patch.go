package tool

import (
	"context"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

var applyPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch",
	Doc: "Change several files, all or nothing; for one use edit_file, for one new file create_file. Unsure? Send dryRun. " +
		"Sections: *** Add File: p (lines with +), *** Update File: p, *** Delete File: p, *** Move File: a -> b. Hunks begin with @@; " +
		"their context and removed lines must be in the file exactly once. Refuses whole, showing the nearest place of each failed hunk.",
	Example: `{"patch":"*** Begin Patch\n*** Update File: a.ts\n@@\n const x = 1;\n-let y = 2;\n+let y = 3;\n*** Delete File: old.ts\n*** End Patch\n"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true,
	fields: map[string]field{
		"atomic":    {byDefault: true},
		"dialect":   {enum: slices.Concat([]string{"auto"}, emend.Dialects()), byDefault: "auto"},
		"tolerance": {enum: tolerances},
	},
	data: report.Data{},
}, applyPatchCall)

// tolerances are the names of the rungs, that is, how loosely lines may match.
var tolerances = []string{patch.Exact.String(), patch.Trailing.String(), patch.Whitespace.String(), patch.Unicode.String()}

// patchRequest holds the arguments of apply_patch.
type patchRequest struct {
	Patch                string            `json:"patch" jsonschema:"from *** Begin Patch to *** End Patch"`
	ExpectedSha256ByPath map[string]string `json:"expectedSha256ByPath,omitempty" jsonschema:"sha256 of files by path; empty: must not exist"`
	Atomic               *bool             `json:"atomic,omitempty" jsonschema:"false: section by section"`
	DryRun               bool              `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	Dialect              string            `json:"dialect,omitempty" jsonschema:"of the patch"`
	Lenient              *bool             `json:"lenient,omitempty" jsonschema:"correct what nearly fits, merge with what changed since, and name it"`
	Tolerance            string            `json:"tolerance,omitempty" jsonschema:"how loosely lines may match"`
	Idempotent           bool              `json:"idempotent,omitempty" jsonschema:"skip what is already applied"`
	IdempotencyKey       string            `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
}

func (r patchRequest) options(o Options) api.PatchOptions {
	out := api.PatchOptions{Dialect: r.Dialect, Lenient: o.Lenient, Expect: r.ExpectedSha256ByPath, Sequential: r.Atomic != nil && !*r.Atomic,
		Progress: o.Progress, Idempotent: r.Idempotent, IdempotencyKey: r.IdempotencyKey}
	if r.Lenient != nil {
		out.Lenient = *r.Lenient
	}
	for _, rung := range []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode} {
		if rung.String() == r.Tolerance {
			out.Tolerance = rung
		}
	}
	return out
}

func applyPatchCall(ctx context.Context, ws *emend.Workspace, o Options, r patchRequest) (api.Result, error) {
	opts := r.options(o)
	if o.RequireHash {
		if err := requireHashes(r.Patch, &opts); err != nil {
			return nil, err
		}
	}
	return applyOrPlan(ctx, ws, r.Patch, opts, r.DryRun)
}

// applyOrPlan applies a patch, or returns what it would do if dryRun is set.
func applyOrPlan(ctx context.Context, ws *emend.Workspace, text string, o api.PatchOptions, dryRun bool) (api.Result, error) {
	if dryRun {
		p, err := ws.Plan(ctx, text, o)
		if err != nil {
			return nil, err
		}
		return p.Result(), nil
	}
	rep, err := ws.Apply(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return rep.Result(), nil
}

// requireHashes demands a hash for every file that a patch changes, deletes or moves, and that the files that it adds
// do not exist. A file that an earlier section makes needs no hash. If the text is no patch, the engine refuses it
// later.
func requireHashes(text string, o *api.PatchOptions) error {
	sections, rules, ok := parseSections(text, *o)
	if !ok {
		return nil
	}
	expect, err := plan.ExpectBySection(sections, o.Expect)
	if err != nil {
		return err
	}
	made := map[string]bool{}
	var missing []string
	for _, s := range sections {
		_, named := expect[s.Path]
		switch {
		case named || made[s.Path]:
		case s.Op == patch.Add:
			expect[s.Path] = ""
		default:
			missing = append(missing, s.Path)
		}
		made[s.Path], made[s.To] = true, true
		if s.Op == patch.Move && rules.MoveReplaces {
			return badArguments("in this dialect a move may overwrite a file unseen, and a person has made a hash required here",
				"Use move_file with expectedSha256, or write the patch in the dialect emend.")
		}
	}
	if len(missing) > 0 {
		return badArguments("expectedSha256ByPath has no entry for "+strings.Join(quoted(missing), ", ")+", and a person has made one required here",
			"Send for each of them the sha256 that read_file returned.")
	}
	o.Expect = expect
	return nil
}

// parseSections returns the sections of a patch, or of all its decodings if it can only be read in one.
func parseSections(text string, o api.PatchOptions) ([]patch.Section, dialect.Rules, bool) {
	d, ok := dialect.Named(o.Dialect)
	if !ok {
		var err error
		if d, err = dialect.Detect(text); err != nil {
			return nil, dialect.Rules{}, false
		}
	}
	how := dialect.Options{Lenient: o.Lenient, Tolerance: o.Tolerance}
	parsed, err := d.Parse(text, how)
	sections := parsed.Patch.Sections
	if err != nil && parsed.Decodings != nil {
		for d := range parsed.Decodings {
			sections = append(sections, d.Patch.Sections...)
		}
	}
	return sections, d.Rules(how), err == nil || len(sections) > 0
}
