package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/emend-dev/emend/internal/tool"
)

// toolFlags are the flags of which tools are offered, and how they are called.
type toolFlags struct {
	profile                        string
	readOnly, requireHash, lenient bool
}

func (f *toolFlags) define(fl *pflag.FlagSet, readOnlyHelp string) {
	fl.StringVar(&f.profile, "profile", tool.Emend.Name, "the tools of which system: "+strings.Join(tool.ProfileNames(), ", "))
	fl.BoolVar(&f.readOnly, "read-only", false, readOnlyHelp)
	fl.BoolVar(&f.requireHash, "require-hash", false, "require a sha256 of every file that is changed, also where a tool makes it optional")
	fl.BoolVar(&f.lenient, "lenient", false, "apply_patch accepts malformed patches, unless the call says otherwise")
}

// options converts the flags of a verb to the options of the tools.
func (f toolFlags) options(verb string) (tool.Options, error) {
	profile, ok := tool.ProfileNamed(f.profile)
	if !ok {
		return tool.Options{}, usageErrorf(verb, "--profile: %q is none of %s", f.profile, strings.Join(tool.ProfileNames(), ", "))
	}
	o := tool.Options{Profile: profile, ReadOnly: f.readOnly, RequireHash: f.requireHash, Lenient: f.lenient}
	if err := o.Check(); err != nil {
		return o, usageErrorf(verb, "%v", err)
	}
	return o, nil
}
