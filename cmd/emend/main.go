// Command emend applies the patches that coding agents write. Its command line is in internal/front/cli.
package main

import (
	"os"

	"github.com/emend-dev/emend/internal/front/cli"
)

func main() { os.Exit(cli.Main()) }
