// Command launch is the small process below the benchmark that starts and times the programs.
package main

import (
	"fmt"
	"os"

	"github.com/emend-dev/emend/bench/internal/launch"
)

func main() {
	if err := launch.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "launch:", err)
		os.Exit(1)
	}
}
