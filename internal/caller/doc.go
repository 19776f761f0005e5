// Package caller: what a caller hangs on a context: who asks, progress, whom to ask, which directories to leave out. It touches no file.
package caller
