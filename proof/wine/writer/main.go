//go:build windows

// Command writer replaces files as programs for Windows usually do: a new file beside the old one is written, flushed and closed, and
// MoveFileEx gives it the name, with MOVEFILE_WRITE_THROUGH.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := replace(name, "two\n"); err != nil {
			fmt.Fprintln(os.Stderr, "writer:", err)
			os.Exit(1)
		}
	}
}

func replace(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), "writer-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	from, err := windows.UTF16PtrFromString(f.Name())
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(from, to, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
}
