package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// runSection is what a policy file says of emend run.
type runSection struct {
	Age   string   `toml:"age"`   // how long a layer that did not land is kept, as "14d"; "any" is for ever
	Write []string `toml:"write"` // directories that a confined command may write to beside the tree: absolute, or ~/.cache
}

// addRun adds a section. Its age replaces an earlier one, its directories come in addition.
func (p *Policy) addRun(s runSection) error {
	age, _, err := boundsSection{Age: s.Age}.parse("run")
	if err != nil {
		return err
	}
	if age != 0 {
		p.runAge = max(0, age) // "any" is no bound
	}
	for _, dir := range s.Write {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("run.write: %q: %w", dir, err)
			}
			dir = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(dir) || filepath.Clean(dir) == "/" {
			return fmt.Errorf("run.write: %q is not the path of a directory, absolute or with ~/, or it is the whole system", dir)
		}
		p.runWrite = append(p.runWrite, filepath.Clean(dir))
	}
	return nil
}

// RunBounds returns for how long a layer that did not land is kept, 0 for no bound, and which directories a confined command may write
// to beside the tree.
func (p *Policy) RunBounds() (age time.Duration, write []string) {
	if p == nil {
		return 0, nil
	}
	return p.runAge, p.runWrite
}
