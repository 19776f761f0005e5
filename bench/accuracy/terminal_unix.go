//go:build unix

package main

import "syscall"

// withoutTerminal starts a program without a terminal: GNU patch asks questions there.
func withoutTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
