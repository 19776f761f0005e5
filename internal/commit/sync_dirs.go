package commit

import (
	"fmt"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/plant"
)

// syncDirs makes every directory durable in which a name changed.
func (t *transaction) syncDirs() error {
	if t.s.opts.NoSync || plant.Enabled(plant.NoDirSync) {
		return nil
	}
	for _, p := range t.touched() {
		dir, err := t.dirs.open(p)
		if t.settling && pathChanged(err) {
			continue // never made, or removed again; or somebody moved it, with what is in it
		}
		if err == nil {
			err = dir.Sync()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// touched lists the directories in which acts changed a name.
func (t *transaction) touched() []string {
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range t.acts {
		seen[a.Path] = seen[a.Path] || a.Do == audit.DoRmdir && a.dirChanged // it no longer exists
	}
	for _, a := range t.acts {
		up, _ := split(a.Path)
		add(up)
		if a.Do == audit.DoMove {
			to, _ := split(a.To)
			add(to)
		}
	}
	return out
}
