package cli

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
	"github.com/spf13/cobra"
)

// patchFlags are the flags of how to read a patch, and of what its files must be before.
type patchFlags struct {
	dialect    string
	lenient    bool
	tolerance  string
	expect     []string
	paths      string
	idempotent bool
}

func (f *patchFlags) define(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "auto", "the patch's dialect: auto, "+strings.Join(emend.Dialects(), ", "))
	fl.BoolVar(&f.lenient, "lenient", false, "accept malformed patches, apply the corrections that a refusal would suggest, and merge with later edits; the result names each")
	fl.StringVar(&f.tolerance, "tolerance", "", "the loosest match that is allowed: exact, trailing, whitespace, unicode")
	fl.StringArrayVar(&f.expect, "expect", nil, "refuse unless `PATH=SHA256` holds now; empty after = asserts absence (repeatable)")
	fl.StringVar(&f.paths, "paths", "auto", "where the paths begin: here, at the root of the workspace (root), or auto: here, and for a unified diff whose files are there only from the root, at the root")
	fl.BoolVar(&f.idempotent, "idempotent", false, "skip what is already applied instead of refusing it, to resend a patch")
	completeWords(cmd, "dialect", append([]string{"auto"}, emend.Dialects()...))
	completeWords(cmd, "tolerance", rungNames())
	completeWords(cmd, "paths", []string{"auto", "here", "root"})
}

var rungs = []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}

func rungNames() []string {
	out := make([]string, len(rungs))
	for i, r := range rungs {
		out[i] = r.String()
	}
	return out
}

// options converts the flags of a verb to the options of the engine.
func (f patchFlags) options(verb string) (api.PatchOptions, error) {
	o := api.PatchOptions{Dialect: f.dialect, Lenient: f.lenient, Idempotent: f.idempotent}
	if f.dialect != "auto" && !slices.Contains(emend.Dialects(), f.dialect) {
		return o, usageErrorf(verb, "--dialect: %q is none of auto, %s", f.dialect, strings.Join(emend.Dialects(), ", "))
	}
	from, known := map[string]api.PathsFrom{"auto": api.PathsFromEither, "here": api.PathsFromBase, "root": api.PathsFromRoot}[f.paths]
	if o.Paths = from; !known {
		return o, usageErrorf(verb, "--paths: %q is none of auto, here, root", f.paths)
	}
	for _, r := range rungs {
		if r.String() == f.tolerance {
			o.Tolerance = r
		}
	}
	if f.tolerance != "" && o.Tolerance == 0 {
		return o, usageErrorf(verb, "--tolerance: %q is none of %s", f.tolerance, strings.Join(rungNames(), ", "))
	}
	for _, e := range f.expect {
		i := strings.LastIndexByte(e, '=')
		if i < 1 {
			return o, usageErrorf(verb, "--expect: %q is not PATH=SHA256", e)
		}
		if o.Expect == nil {
			o.Expect = map[string]string{}
		}
		o.Expect[e[:i]] = e[i+1:]
	}
	return o, nil
}
