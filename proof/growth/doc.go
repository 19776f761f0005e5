// Package growth guards emend against getting slower: tests that count and never time. A job is some work on an input
// of n lines or files. For each one they count the allocations, the bytes allocated and the statements executed, and for
// the whole program the system calls; no count may be more than a little above the one that is written down in
// testdata/counts.txt, and none may grow faster than the input.
//
// Statements and system calls are counted with EMEND_GROWTH=all, which takes a minute. After a change that is meant,
// EMEND_GROWTH=all go -C proof test ./growth -update writes the counts down anew; what it changes belongs into the commit
// that changed it. The package has no code of its own.
package growth
