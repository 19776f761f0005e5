// Package read answers the calls that look at files and change none: [File] returns the text of a file, [List] the entries
// of a directory, [Search] matching lines, and [Glob] matching paths.
//
// It decides what an answer contains and how a model reads it. Package guard decides what may be read, and package find
// walks and matches. Reading goes to no log and needs no store.
package read
