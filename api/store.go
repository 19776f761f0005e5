package api

import (
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
)

// Health is what can be said of a workspace's store and of the promises that hold on its file system.
type Health struct {
	Root       string            `json:"root"`
	Store      string            `json:"store"`
	Exists     bool              `json:"exists"`     // the store; the first apply makes it
	Top        string            `json:"top"`        // of the tree that shares the store
	Filesystem string            `json:"filesystem"` // its type
	Abilities  *commit.Abilities `json:"abilities,omitempty"`
	Locked     string            `json:"locked,omitempty"`  // by whom
	Pending    string            `json:"pending,omitempty"` // an interrupted transaction that could not be recovered
	Recovered  *Recovery         `json:"recovered,omitempty"`
	Log        *Head             `json:"log,omitempty"`
	History    *Usage            `json:"history,omitempty"`
	Orphans    []string          `json:"orphans,omitempty"` // transactions that left slots and no record
	Weaker     []string          `json:"weaker"`            // the promises that are weaker here, and how; empty when all hold
	Problems   []string          `json:"problems"`          // what keeps emend from writing here
}

// Usage is how much the history holds.
type Usage struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Actor is who asks for a change, for the log.
type Actor = audit.Actor

// Head is the newest record of the log: its number and its hash. Who keeps it can later prove that nothing before it
// was rewritten.
type Head = audit.Head

// Recovery is what was found of an interrupted transaction, and what became of it.
type Recovery = commit.Outcome
