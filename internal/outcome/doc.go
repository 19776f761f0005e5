// Package outcome: what calls answer with.
package outcome
