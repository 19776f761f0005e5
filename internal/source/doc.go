// Package source: gives the planner the files of a workspace.
package source
