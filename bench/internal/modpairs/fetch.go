package modpairs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Tree is a fetched version.
type Tree struct {
	Version
	Dir string // directory of its files
	Zip int64  // size of its archive, in bytes
}

// Fetch downloads every version of list into the module cache and returns them in the order of list. env, such as
// "GOMODCACHE=dir", is added to the environment of the go command. A checksum that differs from the list is an error.
func Fetch(ctx context.Context, list []Version, env ...string) ([]Tree, error) {
	if len(list) == 0 {
		return nil, nil
	}
	// Outside of any module, so that no go.mod or go.sum changes.
	dir, err := os.MkdirTemp("", "modpairs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"mod", "download", "-json"}
	for _, v := range list {
		args = append(args, v.String())
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// The list takes the place of the checksum database.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOSUMDB=off", "PWD="+dir)
	cmd.Env = append(cmd.Env, env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, runErr := cmd.Output()
	trees, err := trees(out, list)
	if err == nil && runErr != nil {
		err = fmt.Errorf("go mod download: %w\n%s", runErr, said.Bytes())
	}
	return trees, err
}

// trees parses the output of "go mod download -json" and compares it with list.
func trees(out []byte, list []Version) ([]Tree, error) {
	type module struct{ Path, Version, Error, Dir, Zip, Sum string }
	found := map[string]module{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m module
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go mod download -json: %w", err)
		}
		found[m.Path+"@"+m.Version] = m
	}
	var trees []Tree
	for _, v := range list {
		m := found[v.String()]
		switch {
		case m.Error != "":
			return nil, fmt.Errorf("%s: %s", v, m.Error)
		case m.Dir == "":
			return nil, fmt.Errorf("%s: the go command did not say where it is", v)
		case m.Sum != v.Sum:
			return nil, fmt.Errorf("%s: checksum is %s, want %s", v, m.Sum, v.Sum)
		}
		info, err := os.Stat(m.Zip)
		if err != nil {
			return nil, err
		}
		trees = append(trees, Tree{v, m.Dir, info.Size()})
	}
	return trees, nil
}
