// Package change: makes one call that changes files: request, plan, consent, commit, answer.
package change
