package join

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"

	"github.com/emend-dev/emend/hub/wire"
)

// packMark begins a policy file that a pack was written to. A file without it is its owner's, and is not replaced.
const packMark = "# From a hub: policy pack "

// packFile returns the path of the pack from which a policy file was written.
func packFile(policy string) string { return policy + ".pack.json" }

// installedPack returns the pack that is installed; nil for none.
func installedPack(policy string) (*wire.PackName, error) {
	text, err := os.ReadFile(packFile(policy))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s wire.SignedPack
	var p wire.Pack
	if err := errors.Join(json.Unmarshal(text, &s), json.Unmarshal(s.Pack, &p)); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", packFile(policy), err)
	}
	name := p.ID()
	return &name, nil
}

// install installs a policy pack, or says why not. What is refused is reported with the presence as well.
func (j *Join) install(s *wire.SignedPack) *wire.Reply {
	p, err := j.writePack(s)
	j.mu.Lock()
	j.packError = ""
	if err != nil {
		j.packError = err.Error()
	} else {
		name := p.ID()
		j.pack = &name
	}
	j.mu.Unlock()
	if err == nil {
		err = j.reopen()
	}
	if err != nil {
		return &wire.Reply{Kind: wire.BadPack, Text: err.Error()}
	}
	return &wire.Reply{OK: true, Text: p.ID().String() + " is installed; programs that start from now on are under it"}
}

func (j *Join) writePack(s *wire.SignedPack) (*wire.Pack, error) {
	j.packing.Lock()
	defer j.packing.Unlock()
	file, key := j.o.PolicyFile, j.o.Membership.Joined.PolicyKey
	switch {
	case file == "":
		return nil, errors.New("the workspace has no file for policy packs")
	case key == "":
		return nil, errors.New("the workspace has pinned no key for policy packs")
	}
	p, err := s.Open(key)
	if err != nil {
		return nil, err
	}
	installed, err := installedPack(file)
	if err != nil {
		return nil, err
	}
	if err := p.Replaces(installed, j.o.PackName); err != nil {
		return nil, err
	}
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && !bytes.HasPrefix(have, []byte(packMark)) {
		return nil, fmt.Errorf("%s is the owner's own policy and is not replaced; move it away, or join with --policy FILE", file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	text := []byte(packMark + p.ID().String() + ". Changes to this file are lost.\n" + p.Policy)
	if err := j.try(text); err != nil {
		return nil, fmt.Errorf("%s is no policy: %w", p.ID(), err)
	}
	pack, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	// The name of the pack comes last: after a crash between the two, the same pack can be installed again.
	if err := writeFile(file, text, 0o644); err != nil {
		return nil, err
	}
	return p, writeFile(packFile(file), pack, 0o644)
}

// try opens the workspace under a policy.
func (j *Join) try(text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(j.o.PolicyFile), ".try-*.toml")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	ws, err := emend.Open(j.o.Dir, append(append([]emend.Option(nil), j.o.Emend...), emend.Policy(f.Name()))...)
	if err != nil {
		return err
	}
	return ws.Close()
}
