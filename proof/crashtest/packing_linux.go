package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// neverPacked is the number of the newest changes, which packing leaves alone.
const neverPacked = 100

// packer is emend, which packs the history after each patch. Before the recording it has applied as many patches as are never packed.
type packer struct{ *emend }

func (p *packer) write(t int) error {
	if err := p.emend.write(t); err != nil {
		return err
	}
	_, err := p.run("", "doctor", "--pack")
	return err
}

func (p *packer) recovered(m mark) (int, []error) { return p.recoveredBy(p, m) }

// earlier returns the number of patches that a writer applies before the recording begins.
func earlier(writer string) int {
	if writer == "packing" {
		return neverPacked
	}
	return 0
}

// prepare applies the patches before the recording.
func (p *packer) prepare() error {
	for t := range neverPacked {
		if _, err := p.run(p.work.patches[t], "apply", "--lenient", "--durability=none"); err != nil {
			return err
		}
	}
	return nil
}

// packedContents returns what the packs of a store have, by the code of the engine: each is checked against its checksum.
func packedContents(store string) (out map[string]bool, err error) {
	if _, err := os.Stat(filepath.Join(store, "slots", "packs")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	dir, err := vfs.Open(store)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	h, err := history.Open(dir)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	names, err := h.Names("")
	if err != nil {
		return nil, err
	}
	out = map[string]bool{}
	for _, name := range names {
		if _, _, ok := history.ParseSlot(name); !ok {
			continue // a diff
		}
		c, _, err := h.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(c)
		if err = errors.Join(err, c.Close()); err != nil {
			return nil, err
		}
		out[string(text)] = true
	}
	return out, nil
}
