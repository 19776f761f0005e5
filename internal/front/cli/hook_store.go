package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// A command may remove the store, with the log and all that an undo needs, as rm -rf .git does. Nothing in the tree says afterwards that
// there was one. So hooks note in a file of the account which store they used last.

// storeGone is recorded in the store that is there now.
const storeGone = "the log and the contents from before are gone: the store that the hooks used last was removed, or another one is in its place"

func storeFile(root string) string {
	if name := missedFile(root); name != "" {
		return name + ".store"
	}
	return ""
}

// knownStore returns the identity of the store that the hooks in a workspace used last; "" if none is known.
func knownStore(root string) string {
	text, err := os.ReadFile(storeFile(root))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// noteStore notes the store that a hook used. Without the note, nobody says that the store is gone, and nothing else is lost.
func noteStore(root, now string) {
	name := storeFile(root)
	if name == "" || now == "" || knownStore(root) == now || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	os.WriteFile(name, []byte(now+"\n"), 0o600) //nolint:errcheck // see above
}
