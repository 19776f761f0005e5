package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// ExpectBySection returns the expected hashes with the paths as the sections write them, so that ./f is f. It refuses a path
// that no section changes: the caller believes that it is checked.
func ExpectBySection(sections []patch.Section, expect map[string]string) (map[string]string, error) {
	sums, unused := map[string]string{}, map[string]string{} // by clean path: the hash, and the path as the caller wrote it
	for _, p := range slices.Sorted(maps.Keys(expect)) {
		clean, want := path.Clean(p), text.BareSum(expect[p])
		if sum, ok := sums[clean]; ok && sum != want {
			return nil, badExpectation(sections, fmt.Sprintf("two different hashes are expected of %s", fail.Quote(clean)))
		}
		sums[clean], unused[clean] = want, p
	}
	out := make(map[string]string, len(expect))
	for i := range sections {
		clean := path.Clean(sections[i].Path)
		if sum, ok := sums[clean]; ok {
			out[sections[i].Path] = sum
			delete(unused, clean)
		}
	}
	for _, clean := range slices.Sorted(maps.Keys(unused)) {
		return nil, badExpectation(sections, fmt.Sprintf("a hash is expected of %s, which no section of the patch changes", fail.Quote(unused[clean])))
	}
	return out, nil
}

// badExpectation names the paths that may have a hash.
func badExpectation(sections []patch.Section, msg string) error {
	const most = 10
	var names []string
	for i := range min(len(sections), most) {
		names = append(names, fail.Quote(sections[i].Path))
	}
	if len(sections) > most {
		names = append(names, "...")
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: msg,
		Hint: "Give a hash for paths of the patch, and for a move for its source: " + strings.Join(names, ", ") + "."}
}
