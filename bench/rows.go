package main

import "slices"

// rows are all rows that were asked for, in the order of the page.
func (b *bench) rows() []row {
	all := slices.Concat(applyRows(), searchRows(), listRows())
	return slices.DeleteFunc(all, func(r row) bool { return !b.only.MatchString(r.id) })
}

// exponents are rows of their own about how work grows with its size.
func exponents([]done) []done { return nil }

const (
	bigWords    = ""
	servedWords = ""
)
