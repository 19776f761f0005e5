// Command emend applies the patches that coding agents write.
package main

import (
	"os"

	"github.com/emend-dev/emend/internal/front/cli"
)

func main() {
	deep()
	os.Exit(cli.Main())
}

//go:noinline
func deep() (b byte) {
	var room [48 << 10]byte
	return room[len(os.Args)]
}
