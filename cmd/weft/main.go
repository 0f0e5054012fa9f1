// Command weft runs and lints Arazzo workflows.
package main

import (
	"os"

	"github.com/weft-flow/weft/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
