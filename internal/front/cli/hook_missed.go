package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A hook that fails leaves the reason in a file of the account, since the store may be what fails. The next hook that works
// hands the reasons to its look, which records them. Without the file the log lacks the reason, and nothing else: what changed
// meanwhile is found by comparison.

const (
	maxMissed     = 16 << 10 // bytes of the file; later reasons are dropped
	maxMissedLine = 500
)

// missedFile returns the file with the reasons for a workspace, or "" if the account has no place for it.
func missedFile(root string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, "emend", "hooks", hex.EncodeToString(sum[:16]))
}

// noteMissed adds a reason. It does what it can, since whoever calls it has failed already.
func noteMissed(root, why string) {
	name := missedFile(root)
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < maxMissed {
		f.WriteString(strings.ToValidUTF8(why[:min(len(why), maxMissedLine)], "") + "\n") //nolint:errcheck // nobody is left to be told
	}
}

// missed holds the reasons that one process has taken, so that no other one records them too.
type missed struct {
	root    string
	reasons []string
}

// takeMissed takes the reasons of a workspace, the oldest first. Those of a process that dies with them are lost.
func takeMissed(root string) missed {
	name := missedFile(root)
	mine := name + "." + strconv.Itoa(os.Getpid())
	if name == "" || os.Rename(name, mine) != nil {
		return missed{}
	}
	defer os.Remove(mine)
	text, err := os.ReadFile(mine)
	if err != nil {
		return missed{}
	}
	lines := strings.Split(string(text), "\n")
	return missed{root, slices.DeleteFunc(lines, func(l string) bool { return l == "" })}
}

// add adds a reason that nobody has noted yet.
func (m *missed) add(root, why string) { m.root, m.reasons = root, append(m.reasons, why) }

// putBack notes the reasons again.
func (m missed) putBack() {
	for _, why := range m.reasons {
		noteMissed(m.root, why)
	}
}
