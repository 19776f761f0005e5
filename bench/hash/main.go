// Command hash prints the sha256 of a file: a bare loop over Go's own, as the least that it takes.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := hash(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "hash:", err)
		os.Exit(1)
	}
}

func hash(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	h := sha256.New()
	// A plain reader: io.CopyBuffer would let the file choose another way.
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 256<<10)); err != nil {
		return err
	}
	_, err = fmt.Printf("%x  %s\n", h.Sum(nil), name)
	return err
}
