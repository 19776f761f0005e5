package change

import (
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
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
	if from.Rules(dialect.Options{}).Bytes && !d.Rules(dialect.Options{}).Bytes {
		if err := takeOffCR(&parsed.Patch, d.Name); err != nil {
			return "", nil, asRefusal(err)
		}
	}
	if out, err = d.Print(parsed.Patch); err != nil {
		return "", nil, asRefusal(err)
	}
	return out, parsed.Passed, nil
}

// takeOffCR takes the CR off the lines of hunks, for a dialect in which a line has none and keeps the end that the file gives it. It refuses
// hunks of which only some lines have one: they change line ends.
func takeOffCR(p *patch.Patch, name string) error {
	for i := range p.Sections {
		s := &p.Sections[i]
		total, with := 0, 0
		for _, h := range s.Hunks {
			for _, l := range h.Lines {
				if total++; strings.HasSuffix(string(l), "\r") {
					with++
				}
			}
		}
		if with == 0 {
			continue
		}
		if with < total {
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Section: i + 1, Path: s.Path,
				Msg: name + " cannot say which lines of a hunk end in CRLF and which in LF", Hint: "Send the patch as it is."}
		}
		for k := range s.Hunks {
			lines := s.Hunks[k].Lines
			for n := range lines {
				lines[n] = lines[n][:len(lines[n])-1]
			}
		}
	}
	return nil
}

// asRefusal wraps err in a refusal that names no dialect.
func asRefusal(err error) error {
	if err == nil {
		return nil
	}
	return &report.Refusal{List: fail.All(err)}
}
