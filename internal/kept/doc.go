// Package kept: what the history still has: the trash, contents, purging and pruning.
package kept
