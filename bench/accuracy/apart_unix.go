//go:build unix

package main

import "syscall"

// apart gives a program no terminal: GNU patch asks at one.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
