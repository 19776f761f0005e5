//go:build unix

package siege

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

// change is the expected result of a call: the sha256 of each file afterwards, "" for none.
type change map[string]string

// ledger has all requests and answers of all sessions.
type ledger struct {
	mu       sync.Mutex
	answered map[string]change // by transaction
	open     []change          // never answered
	calls    int
	refused  map[string]int // by kind of the refusal
}

func newLedger() *ledger { return &ledger{answered: map[string]change{}, refused: map[string]int{}} }

func (l *ledger) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
}

func (l *ledger) done(tx string, c change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered[tx] = c
}

// changes returns the number of acknowledged changes.
func (l *ledger) changes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answered)
}

func (l *ledger) refusal(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[kind]++
}

func (l *ledger) lost(c change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, c)
}

// logged is a change in the log.
type logged struct {
	tx    string
	files change
}

// readLog parses the output of emend log --json, and returns the changes in order.
func readLog(text []byte) (out []logged, err error) {
	var is struct {
		Data struct {
			Entries []struct {
				Entry, Path, ToPath, AfterSha256 string
				Seq                              uint64
				OK                               bool
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
		if !e.OK {
			continue
		}
		if len(out) == 0 || out[len(out)-1].tx != e.Entry {
			out = append(out, logged{e.Entry, change{}})
		}
		out[len(out)-1].files[e.Path] = e.AfterSha256
	}
	return out, nil
}

// judge compares the log, the ledger and the trees, and returns every disagreement.
func (l *ledger) judge(log []logged, before, after change) (wrong []string) {
	tree, open := maps.Clone(before), slices.Clone(l.open)
	seen := map[string]bool{}
	for _, c := range log {
		seen[c.tx] = true
		c.apply(tree)
		if answered, ok := l.answered[c.tx]; ok {
			if !maps.Equal(answered, c.files) {
				wrong = append(wrong, fmt.Sprintf("%s was answered as %v and is logged as %v", c.tx, answered, c.files))
			}
			continue
		}
		i := slices.IndexFunc(open, func(o change) bool { return maps.Equal(o, c.files) })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("%s is in the log, and nobody waited for it: %v", c.tx, c.files))
			continue
		}
		open = slices.Delete(open, i, i+1)
	}
	for tx, c := range l.answered {
		if !seen[tx] {
			wrong = append(wrong, fmt.Sprintf("%s was answered and is lost: %v", tx, c))
		}
	}
	return append(wrong, differ(tree, after)...)
}

// apply makes the change in a tree.
func (c *logged) apply(tree change) {
	for path, sum := range c.files {
		if tree[path] = sum; sum == "" {
			delete(tree, path)
		}
	}
}

// differ names the files that are not as they should be.
func differ(want, have change) (wrong []string) {
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

// snapshot returns the sha256 of every file of the tree.
func snapshot(dir string) (change, error) {
	out := change{}
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
		out[filepath.ToSlash(rel)] = sum(string(text))
		return err
	})
	return out, err
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
