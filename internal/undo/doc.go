// Package undo: takes changes back.
package undo
