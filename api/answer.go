package api

import "sync"

// Result is an outcome in the shape that agents get. It is encoded as JSON as it is.
type Result interface {
	OK() bool
	Text() string // what a model reads
}

// Answer holds the data of a call, and its result as agents get it.
type Answer[T any] struct {
	Data  T
	Tx    string   // the transaction of a call that changed something; the log and undo know it by this name
	Notes []string // what a person should know, one sentence each

	result func() Result
}

// NewAnswer makes an answer. result is called when the result is asked for, at most once.
func NewAnswer[T any](data T, tx string, notes []string, result func() Result) *Answer[T] {
	return &Answer[T]{Data: data, Tx: tx, Notes: notes, result: sync.OnceValue(result)}
}

// Result returns the answer as agents get it.
func (a *Answer[T]) Result() Result { return a.result() }
