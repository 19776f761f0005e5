package text

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"
)

// Anchor returns the name of line n, from 1, of the file with this sha256: the number, a colon and four characters that tell
// a mistyped number, or a line of another version, from the line that was meant. 0 is the place before the first line.
func Anchor(sum string, n int) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d", BareSum(sum), n))
	return strconv.Itoa(n) + ":" + strings.ToLower(base32.StdEncoding.EncodeToString(h[:])[:4])
}

// AnchoredLine returns the number in an anchor. It reports false if the text is no anchor.
func AnchoredLine(anchor string) (n int, ok bool) {
	number, hash, _ := strings.Cut(anchor, ":")
	n, err := strconv.Atoi(number)
	return n, err == nil && n >= 0 && len(hash) == 4
}
