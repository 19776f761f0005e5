package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/proof/gotest"
	"github.com/emend-dev/emend/proof/product"
)

// readyName is the file in the chroot that says that it is complete, and which wine it has.
const readyName = "emend-wine"

// test runs tests in wine and prints what became of them.
func (c config) test(ctx context.Context) error {
	if err := prepare(ctx, c); err != nil {
		return err
	}
	defer stopServer(c)
	top, err := product.Dir(ctx)
	if err != nil {
		return err
	}
	known, err := gotest.ReadKnown(knownText)
	if err != nil {
		return fmt.Errorf("known.txt: %w", err)
	}
	all := gotest.Results{}
	started := time.Now()
	for _, m := range c.modules(top) {
		if err := c.goTest(ctx, m, all); err != nil {
			return err
		}
	}
	version, _ := os.ReadFile(filepath.Join(c.chroot, readyName))
	text, failed := all.Table(known, c.run == "")
	text = fmt.Sprintf("# Tests for Windows, in %s\n\n%s", strings.TrimSpace(string(version)), text)
	fmt.Print(text)
	fmt.Printf("\n%v\n", time.Since(started).Round(time.Second))
	if c.out != "" {
		if err := os.WriteFile(c.out, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

// module is a module with the packages of it to test.
type module struct {
	dir      string
	packages []string
	run      string // only these tests
}

// modules returns what is to be tested. Packages are those of the module that emend is, or, if they begin with "proof", of the one
// with the proofs.
func (c config) modules(top string) []module {
	if len(c.packages) == 0 {
		return []module{
			{top, []string{"./internal/vfs/...", "./internal/guard", "./internal/history/...", "./internal/workspace", "./internal/audit", "./internal/find", "./internal/change"}, c.run},
			{top, []string{"./internal/commit"}, cmp.Or(c.run, "(Here|Origin)$")}, // the disk in memory is the same everywhere
			{top, []string{"./cmd/emend"}, c.run},
			{filepath.Join(top, "proof"), []string{"./windows"}, c.run},
		}
	}
	own, proof := module{dir: top, run: c.run}, module{dir: filepath.Join(top, "proof"), run: c.run}
	for _, p := range c.packages {
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(p, "./"), "proof/"); ok {
			proof.packages = append(proof.packages, "./"+rest)
		} else {
			own.packages = append(own.packages, p)
		}
	}
	var out []module
	for _, m := range []module{own, proof} {
		if len(m.packages) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// goTest runs the tests of a module, one package at a time: all of them have one wine server.
func (c config) goTest(ctx context.Context, m module, all gotest.Results) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"-p", "1", "-count", "1", "-vet", "off", "-timeout", c.timeout.String(),
		"-exec", self + " -chroot " + c.chroot + " -exec"}
	if m.run != "" {
		args = append(args, "-run", m.run)
	}
	if c.short {
		args = append(args, "-short")
	}
	return all.Run(ctx, m.dir, []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, append(args, m.packages...)...)
}

//go:embed known.txt
var knownText string
