package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Change is the expected result of a call: the sha256 of each file afterwards, "" for none.
type Change map[string]string

// Ledger has all requests and answers of all sessions.
type Ledger struct {
	mu       sync.Mutex
	Answered map[string]Change // by transaction
	Open     []Change          // never answered
	Calls    map[string]int    // by tool
	Refused  map[string]int    // by kind of the refusal
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{Answered: map[string]Change{}, Calls: map[string]int{}, Refused: map[string]int{}}
}

// Count counts a call of a tool.
func (l *Ledger) Count(tool string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Calls[tool]++
}

// Done records an acknowledged change.
func (l *Ledger) Done(tx string, c Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Answered[tx] = c
}

// Changes returns the number of acknowledged changes.
func (l *Ledger) Changes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.Answered)
}

// Refusal records a refusal of a kind.
func (l *Ledger) Refusal(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Refused[kind]++
}

// Lost records a change that was requested, and neither acknowledged nor refused.
func (l *Ledger) Lost(c Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Open = append(l.Open, c)
}

// Logged is a change in the log.
type Logged struct {
	Tx     string
	Before Change // of the paths that it changed, where they were
	Files  Change
}

// ReadLog parses the output of emend log --json, and returns the changes in order. Purges change no file and are left out.
func ReadLog(text []byte) (out []Logged, err error) {
	var is struct {
		Data struct {
			Entries []struct {
				Entry, Operation, Path, ToPath, BeforeSha256, AfterSha256 string
				OK                                                        bool
			}
			Truncated bool
		}
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, err
	}
	if is.Data.Truncated {
		return nil, fmt.Errorf("the log is cut after %d entries", len(is.Data.Entries))
	}
	slices.Reverse(is.Data.Entries)
	for _, e := range is.Data.Entries {
		if !e.OK || e.Operation == "purge" {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Tx != e.Entry {
			out = append(out, Logged{e.Entry, Change{}, Change{}})
		}
		last := out[len(out)-1]
		last.Before[e.Path], last.Files[e.Path] = e.BeforeSha256, e.AfterSha256
		if e.ToPath != "" {
			last.Files[e.Path], last.Files[e.ToPath] = "", e.AfterSha256
		}
	}
	return out, nil
}

// Judge compares the log, the ledger and the trees, and returns every disagreement.
func (l *Ledger) Judge(log []Logged, before, after Change) (wrong []string) {
	tree, open := maps.Clone(before), slices.Clone(l.Open)
	seen := map[string]bool{}
	for _, c := range log {
		seen[c.Tx] = true
		for path, sum := range c.Before {
			if tree[path] != sum {
				wrong = append(wrong, fmt.Sprintf("%s changed %s from %.12q, which had %.12q by then", c.Tx, path, sum, tree[path]))
			}
		}
		c.apply(tree)
		if answered, ok := l.Answered[c.Tx]; ok {
			if !maps.Equal(answered, c.Files) {
				wrong = append(wrong, fmt.Sprintf("%s was answered as %v and is logged as %v", c.Tx, answered, c.Files))
			}
			continue
		}
		i := slices.IndexFunc(open, func(o Change) bool { return maps.Equal(o, c.Files) })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("%s is in the log, and nobody waited for it: %v", c.Tx, c.Files))
			continue
		}
		open = slices.Delete(open, i, i+1)
	}
	for tx, c := range l.Answered {
		if !seen[tx] {
			wrong = append(wrong, fmt.Sprintf("%s was answered and is lost: %v", tx, c))
		}
	}
	return append(wrong, differ(tree, after)...)
}

// apply makes the change in a tree.
func (c *Logged) apply(tree Change) {
	for path, sum := range c.Files {
		if tree[path] = sum; sum == "" {
			delete(tree, path)
		}
	}
}

// differ names the files that are not as they should be.
func differ(want, have Change) (wrong []string) {
	for path, sum := range want {
		if have[path] != sum {
			wrong = append(wrong, fmt.Sprintf("%s has %.12q, and the log says %.12q", path, have[path], sum))
		}
	}
	for path := range have {
		if _, ok := want[path]; !ok {
			wrong = append(wrong, path+" is there, and the log does not say so")
		}
	}
	return wrong
}

// Snapshot returns the sha256 of every file of a tree, but for .git.
func Snapshot(dir string) (Change, error) {
	out := Change{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git": // the store is in it
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = Sum(string(text))
		return err
	})
	return out, err
}

// Sum returns the sha256 of a text, in hex.
func Sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
