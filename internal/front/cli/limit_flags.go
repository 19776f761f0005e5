package cli

import (
	"strconv"

	"github.com/emend-dev/emend/api"
	"github.com/spf13/pflag"
)

// limitFlags are the flags that limit the size of a patch and of its files.
type limitFlags struct {
	patch, file, total string
	files, depth       int
}

func (l *limitFlags) define(f *pflag.FlagSet) {
	d := api.DefaultLimits
	f.StringVar(&l.patch, "max-patch", "", "refuse a patch over `SIZE` (default "+formatSize(d.PatchBytes)+")")
	f.IntVar(&l.files, "max-files", 0, "refuse a patch with more than `N` sections (default "+strconv.Itoa(d.Files)+")")
	f.StringVar(&l.file, "max-file", "", "refuse a file over `SIZE` (default "+formatSize(d.FileBytes)+")")
	f.StringVar(&l.total, "max-total", "", "refuse files over `SIZE` together (default "+formatSize(d.TotalBytes)+")")
	f.IntVar(&l.depth, "max-depth", 0, "refuse a path of more than `N` names (default "+strconv.Itoa(d.Depth)+")")
}

func (l limitFlags) limits(verb string) (api.Limits, error) {
	out := api.Limits{Files: l.files, Depth: l.depth}
	for _, f := range []struct {
		name, text string
		to         *int64
	}{{"max-patch", l.patch, &out.PatchBytes}, {"max-file", l.file, &out.FileBytes}, {"max-total", l.total, &out.TotalBytes}} {
		var err error
		if *f.to, err = parseSize(f.text); err != nil {
			return out, usageErrorf(verb, "--%s: %q is not a size: write 500, 64KiB, 16MiB or 1GiB", f.name, f.text)
		}
	}
	if l.files < 0 || l.depth < 0 {
		return out, usageErrorf(verb, "--max-files and --max-depth take numbers above 0")
	}
	return out, nil
}
