package main

import (
	"context"

	"github.com/emend-dev/emend"
)

// commit applies the patch through emend's library.
func commit(ws *emend.Workspace, text string) error {
	_, err := ws.Apply(context.Background(), text, emend.Options{})
	return err
}

// recoverTree opens the tree, which is enough: Open recovers first.
func recoverTree(dir string) error {
	return inWorkspace(dir, func(ws *emend.Workspace) error {
		_, err := ws.Recovered()
		return err
	})
}
