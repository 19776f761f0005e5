// Package read: reads, lists, searches and globs for a caller. It changes nothing.
package read
