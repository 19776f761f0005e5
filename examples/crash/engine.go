package main

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// commit applies the patch through emend's library.
func commit(ws *emend.Workspace, text string) error {
	_, err := ws.Apply(context.Background(), text, api.PatchOptions{})
	return err
}

// recoverTree opens the tree, which is enough: Open recovers first.
func recoverTree(dir string) error {
	return inWorkspace(dir, func(ws *emend.Workspace) error {
		_, err := ws.Host().Recovered()
		return err
	})
}
