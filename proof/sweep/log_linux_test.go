package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var lineEnd = regexp.MustCompile(`,"h":"([0-9a-f]{64})"}$`)

// entry is a record of the log, as far as the check needs it.
type entry struct{ Prev, Kind, Tx, Void, H string }

// checkLog reads a store's log from its first line. It follows the documentation of the format and uses none of the code that
// writes it: every line must have its hash and name the line before.
func checkLog(store string) []error {
	segments, _ := filepath.Glob(filepath.Join(store, "log", "*.jsonl"))
	if len(segments) == 0 {
		return []error{fmt.Errorf("no segments in %s", store)}
	}
	var wrong []error
	var before []entry
	for _, name := range segments {
		text, err := os.ReadFile(name)
		if err != nil {
			return []error{err}
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			e, err := checkLine(line, before)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s:%d: %w", filepath.Base(name), number, err))
			}
			before = append(before, e)
		}
	}
	return wrong
}

func checkLine(line string, before []entry) (entry, error) {
	var e entry
	body, whole := strings.CutSuffix(line, "\n")
	end := lineEnd.FindStringSubmatchIndex(body)
	if !whole || end == nil {
		return e, fmt.Errorf("not a whole record: %.200q", line)
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return e, err
	}
	sum := sha256.Sum256([]byte(body[:end[0]] + "}"))
	if hex.EncodeToString(sum[:]) != e.H {
		return e, fmt.Errorf("the hash is of something else: %.200q", line)
	}
	return e, follows(e, before)
}

// follows checks the chain. A segment that declares the last record void continues from the record before it.
func follows(e entry, before []entry) error {
	n := len(before)
	if e.Void != "" && n > 0 && before[n-1].H == e.Void {
		n--
	}
	if n > 0 && e.Prev != before[n-1].H {
		return fmt.Errorf("%s %s does not follow the record before it", e.Kind, e.Tx)
	}
	return nil
}
