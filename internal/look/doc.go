// Package look compares the tree with how it was when it was last looked at, and records what changed without emend: what an
// agent's shell, or its own tools, did to files.
//
// A look walks the tree and describes every name. What has the same kind, size, times and inode as in the index of the last look
// is the same file; what differs is read, and has changed if its content or its permissions have. Files that were written within
// the resolution of the clock are read again at the next look.
//
// Whoever wants to take a change back needs the content from before it. So each look makes sure that it can be had again: from
// git, if the index of the repository has this very content, else from a copy in the store, within bounds. What is over
// the bounds is named.
//
// Who made a change is worked out from the calls that were under way: see calls.go. Changes that emend made itself are in the log
// already and are left out.
//
// The looks of a store take turns. A look takes the lock of the store only to record something.
package look
