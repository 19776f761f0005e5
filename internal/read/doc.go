// Package read answers the calls that look at files and change none: [File] returns the text of a file, [List] the entries
// of a directory, [Search] matching lines, and [Glob] matching paths.
//
// It decides what an answer contains and how it is worded for a model. Package guard decides what may be read, and package find
// walks and matches. Reading leaves no entry in the log.
package read
