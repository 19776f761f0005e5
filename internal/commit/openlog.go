package commit

import "github.com/emend-dev/emend/internal/vfs"

// OpenLog opens the directory of the log in a store, for who only reads it and so needs neither the lock nor the rest.
func OpenLog(store vfs.Dir) (vfs.Dir, error) { return store.Dir(logName) }
