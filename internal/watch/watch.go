// Package watch has the system say which directories of a tree changed while somebody waits, so that the others need not be read
// again. It opens no file, and says nothing of what changed.
//
// What it cannot hear is left to a look at the whole tree: a store to memory that was mapped before the watch began, a change through
// a hard link in a directory that is not watched, and what other machines do to a shared file system, which is not watched at all.
package watch
