package change

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/report"
)

// Make writes the changes as a patch in the named dialect. If the patch is applied to the old contents, it gives the
// new ones byte for byte. Make refuses changes that the dialect cannot express.
func Make(changes []api.Change, dialectName string, context int) (string, error) {
	d, err := dialectNamed(dialectName)
	if err != nil {
		return "", asRefusal(err)
	}
	p, err := draft.Between(d, changes, context)
	if err != nil || len(p.Sections) == 0 {
		return "", asRefusal(err)
	}
	out, err := d.Print(p)
	return out, asRefusal(err)
}

// Convert writes a patch in another dialect. o says how to read it. passed lists what lenient reading accepted.
func Convert(text, to string, o api.PatchOptions) (out string, passed []string, err error) {
	from, err := dialectFor(text, o)
	if err != nil {
		return "", nil, asRefusal(err)
	}
	d, err := dialectNamed(to)
	if err != nil {
		return "", nil, asRefusal(err)
	}
	parsed, err := from.Parse(text, parseOptions(o))
	if err != nil {
		return "", nil, asRefusal(err)
	}
	if out, err = d.Print(parsed.Patch); err != nil {
		return "", nil, asRefusal(err)
	}
	return out, parsed.Passed, nil
}

// asRefusal wraps err in a refusal that names no dialect.
func asRefusal(err error) error {
	if err == nil {
		return nil
	}
	return &report.Refusal{List: fail.All(err)}
}
