//go:build !unix

package main

import "syscall"

func withoutTerminal() *syscall.SysProcAttr { return nil }
