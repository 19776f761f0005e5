// Command emend applies the patches that coding agents write. Its command line is in internal/front/cli.
package main

import (
	"os"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/cli"
)

func main() {
	emend.Supervise()
	os.Exit(cli.Main())
}
