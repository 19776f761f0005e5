// Package trace: follows files through the log.
package trace
