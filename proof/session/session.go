// Package session calls the tools of a server as one session of many, and keeps account of what all of them asked for and were
// answered. Afterwards the log, the tree and the account must agree: every acknowledged change is in the log as it was answered;
// every change in the log was acknowledged, or was requested when a process was killed; and the tree is what the log makes of the
// first tree, byte for byte.
package session
