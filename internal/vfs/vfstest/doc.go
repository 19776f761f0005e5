// Package vfstest tests code that works through package vfs. No product code imports it.
//
//   - [Disk] is a file system in memory that answers as Linux does. It can run full, and it can lose power: [Disk.Crash]
//     returns one of the states that a power cut may leave.
//   - [Fault] wraps any directory and makes one call fail, before or after its effect.
//   - [Enumerate] runs a test once for each combination of choices, such as those that Crash asks for.
//   - [Snapshot] reads a whole tree, to compare trees.
//
// Its own tests make the same random calls on a Disk and on the real system, and demand the same answers.
package vfstest
