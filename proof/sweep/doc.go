// Package sweep runs a program with a hand on its every change to the disk, to prove that emend keeps its word
// wherever it is stopped or fails.
//
// [Trace] runs a program under ptrace. It counts the system calls that change files below one directory, over all
// threads, and can end the program before or after any one of them, make the call fail, or do something else first:
// save a file as an editor would, remount a file system. strace can inject as well, but counts for each thread and
// each system call by itself, which names no moment in a program of many threads.
//
// The proofs are tests:
//
//	go -C proof test -v ./sweep                               a seeded part, and the real file systems
//	EMEND_SWEEP_ALL=1 go -C proof test -v -timeout 0 ./sweep  every call, every error, every kill
//
//	EMEND_SWEEP_POINTS  how many points the seeded part has   (default: 120)
//	EMEND_SWEEP_SEED    which points                          (default: 1)
//	EMEND_SWEEP_ONLY    only points whose name contains this  (default: all)
//	EMEND_SWEEP_BUG     sweep a program with this planted bug (default: none)
//	EMEND_SWEEP_EMEND   a program to sweep                    (default: built from the sources)
//
// Tracing needs Linux on amd64. The tests on real file systems (T2) need root or a namespace of users. What cannot
// run says so: "T1 NOT RUN", "T2 NOT RUN" and why.
//
// What is not promised: calls that do not go through a system call (a mapped file) are not seen; the order in which
// threads make their calls is theirs, so that call 7 of two runs may be on different files; a program that was
// killed may have had other calls under way, as with any kill. A kill is not a power cut: what was written stays.
package sweep
