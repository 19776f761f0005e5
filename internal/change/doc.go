// Package change makes the calls that change files: a patch that is applied, and create, write, edit, move, delete and
// restore. Every call goes the same way. Only the recovery of a commit that was cut short changes a user's file without it.
//
//	request → plan → consent → net effect → commit → answer
//
// A request is planned from the files as they are, a person is asked where a policy says so, the steps of the plan are
// reduced to one change for each place on disk, and package commit makes these changes atomically. A call that fails
// changes nothing, and its refusal goes to the log. A call with an idempotency key that was committed before gets
// the answer of the first call.
//
// The package does not place hunks (package plan does), does not judge paths (guard), does not write files (commit), and
// does not ask persons itself (consent). Package undo builds its plans and gives them to [Run].
package change
