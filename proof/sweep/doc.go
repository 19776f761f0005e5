// Package sweep kills a program, or makes a system call fail, at each of its changes to the disk, to test that emend keeps its
// promises wherever it is stopped.
//
// [Trace] runs a program under ptrace. It counts the system calls that change files below one directory, over all threads.
// At any of them it can kill the program before or after the call, make the call fail, or do something else first: save a
// file as an editor would, or remount a file system. strace can inject faults as well, but counts for each thread and each
// system call separately, which does not identify a moment in a program with many threads.
//
// The tests:
//
//	go -C proof test -v ./sweep                               a seeded part, and the real file systems
//	EMEND_SWEEP_ALL=1 go -C proof test -v -timeout 0 ./sweep  every call, every error, every kill
//
//	EMEND_SWEEP_POINTS  number of points of the seeded part   (default: 120)
//	EMEND_SWEEP_SEED    which points                          (default: 1)
//	EMEND_SWEEP_ONLY    only points whose name contains this  (default: all)
//	EMEND_SWEEP_BUG     sweep a program with this planted bug (default: none)
//	EMEND_SWEEP_EMEND   a program to sweep                    (default: built from the sources)
//
// Tracing needs Linux on amd64. The tests on real file systems (T2) need root or a user namespace. A test that cannot run
// prints "T1 NOT RUN" or "T2 NOT RUN" and the reason.
//
// Limits: changes without a system call, through a mapped file, are not seen. Threads make their calls in any order, so call
// 7 of two runs may be on different files. A killed program may have had other calls under way, as with any kill. A kill is
// not a power cut: what was written stays.
package sweep
