// Package change makes the calls that change files: a patch that is applied, and create, write, edit, move, delete and
// restore. Every call goes the same way. Only the recovery of a commit that was cut short changes a user's file without it.
//
//	request → plan → consent → net effect → commit → answer
//
// A request is planned from the files as they are, a person is asked where a policy says so, the steps of the plan are
// reduced to one change for each place on disk, and package commit makes these changes atomically. A refused call changes
// nothing, except that a patch applied section by section keeps the sections before the refused one. Refusals go to the
// log. A call that repeats the idempotency key of a committed call gets the answer of that call.
//
// The package does not place hunks (package plan does), does not judge paths (guard), does not write files (commit), and
// does not ask persons itself (consent). Package undo builds its plans and gives them to [Run].
package change
