// Package writers runs the programs with which agents write files, below `emend run`, and holds the log, the check of the log and
// the undo to what really happened in the tree. It has tests only.
//
//	go -C proof test -v ./writers
//	go -C proof test -v -run 'Writers/overlay/git/sed' ./writers
//	go -C proof test -v -run 'Writers/.*/git' -skip '/overlay/.*/10,000' ./writers    # as CI does
//	EMEND_WRITERS_BIG=1G go -C proof test -v -timeout 20m -run big ./writers
//
// Each writer runs in both modes: witness, and over a layer, where the system can have one. Each works in a git work tree, with files
// that are tracked and clean, tracked and changed, untracked, and ignored, and in a tree without git. The test describes the tree by itself before and after, and checks:
//
//   - every name that changed is in the entry, with the right operation and hashes, and the entry has nothing else;
//   - `emend verify` is clean after it, and after the undo;
//   - `emend undo` gives back bytes, permissions and targets of links, and removes what was made. What comes back from the
//     history has the time of the undo, so that build tools notice; what is moved back keeps its time;
//   - what is not given back is listed with the writer, and named by the output;
//   - a layer that does not land leaves the tree as it was, says why, and is listed until it is discarded.
//
// A change of nothing but the times of a file is no change: it is not in the log.
//
//	EMEND_WRITERS_BIG  the size of the big file  (default: 80M, which is more than emend copies)
//
// What is not shown: times of links, owners, extended attributes, file systems other than the one that has the temporary directory.
package writers
