// Package workspace: an opened root: its guard, its limits, the way to its store and its paths in the log. It changes no file of the user.
package workspace
