package kept

import (
	"strings"

	"github.com/emend-dev/emend/fail"
)

// A version has one of three kinds of ids: the slot that keeps it; that slot with a "+", for what a step left there,
// which can be rebuilt; or "now:", its sha256 and its path, for what stands at the path.
const (
	rebuiltMark    = "+"
	presentLead    = "now:"
	sha256HexBytes = 64
)

// RebuiltID returns the id of the version that a step left, which is rebuilt from what the step displaced into the slot.
func RebuiltID(slot string) string { return slot + rebuiltMark }

// IsRebuilt reports whether an id is of a version that is rebuilt.
func IsRebuilt(id string) bool { return strings.HasSuffix(id, rebuiltMark) }

// PresentID returns the id of the version that stands at a path, as long as it has this sha256.
func PresentID(path, sum string) string { return presentLead + sum + ":" + path }

// ParsePresent reads an id that PresentID made.
func ParsePresent(id string) (path, sum string, ok bool) {
	rest, ok := strings.CutPrefix(id, presentLead)
	if !ok {
		return "", "", false
	}
	sum, path, ok = strings.Cut(rest, ":")
	return path, sum, ok && len(sum) == sha256HexBytes
}

func noVersion(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: "no version is kept as " + fail.Quote(id),
		Hint: "Look at the history of the file again: it may be kept under another id, or have been restored, pruned or purged since."}
}
