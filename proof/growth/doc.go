// Package growth guards emend against getting slower, with counts instead of times. A job is some work on an input of n
// lines or files. For each job the tests count allocations, allocated bytes and executed statements, and for the whole
// program system calls. No count may be much above the one recorded in testdata/counts.txt, and none may grow faster than
// the input. It has tests only.
//
// EMEND_GROWTH=all also counts statements and system calls, which takes a minute. After an intended change,
// EMEND_GROWTH=all go -C proof test ./growth -update records the counts; commit them together with the change.
package growth
