//go:build unix

package main

import "syscall"

// apart starts a program without a terminal: GNU patch asks questions there.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
