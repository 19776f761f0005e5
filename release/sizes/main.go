// Command sizes writes which piece of emend takes how much of the program, and why it is in there:
//
//	go -C release run ./sizes > docs/size.md
//
// It builds emend for Linux on amd64 as it is published, but with its table of symbols. A piece is emend itself, another module, or a
// directory of Go's library. The program fails if a piece that is larger than 300 KB has no reason here.
package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// large is from which size on a piece needs a reason.
const large = 300_000

const own = "emend"

// reasons says of each large piece why it is there.
var reasons = map[string]string{
	".gopclntab":                             "Which line of which function an address belongs to. Go's runtime needs it to collect garbage, and emend to report a panic. It grows with the code: three quarters of it.",
	"runtime tables":                         "Types, strings and the tables of functions: reflection, error messages, and the texts that are compiled in.",
	own:                                      "emend: the engine, the dialects, the command line, the server and the pages with their scripts and styles.",
	"crypto":                                 "TLS and its certificates, for `emend serve --tls-cert`; SHA-256 for the log. Go links all methods of TLS as soon as a program can serve with one.",
	"net":                                    "HTTP, for the pages and for servers that several people share.",
	"runtime":                                "Go's runtime: garbage collector, scheduler.",
	"slices":                                 "Sorting, compiled anew for each type that is sorted.",
	"github.com/modelcontextprotocol/go-sdk": "The Model Context Protocol, over standard input and HTTP.",
}

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func write(w io.Writer) error {
	dir, err := os.MkdirTemp("", "emend-sizes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "emend")
	if err := build(program); err != nil {
		return err
	}
	if err := build(program+"-stripped", "-ldflags=-s -w"); err != nil {
		return err
	}
	info, err := os.Stat(program + "-stripped")
	if err != nil {
		return err
	}
	pieces, err := measure(program)
	if err != nil {
		return err
	}
	return print(w, pieces, int(info.Size()))
}

// footer says what could still go, and why it stays. The figures are of builds with a part of Go's library replaced.
const footer = `
## What stays, although it is large

| what | size | why |
|---|--:|---|
| methods that ` + "`html/template`" + ` may call by name | 2.4 MB | The linker keeps every exported method of every type that is used, as soon as a program calls methods by names that it does not know. ` + "`text/template`" + ` does, below ` + "`html/template`" + `, which escapes what the pages show by where it stands. Pages written without it would have to escape by hand. |
| gob | 0.1 MB | The Model Context Protocol's SDK uses it. |

Gone are the readers of program files (ELF, PE, Mach-O, DWARF), 0.6 MB, since ` + "`emend doctor`" + ` compares programs by their bytes; and
HTTP/2, 0.6 MB, by the tag ` + "`nethttpomithttp2`" + ` of Go's library, with which releases are built: emend's servers speak HTTP/1.1 only.
`

func build(out string, flags ...string) error {
	self, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	args := append([]string{"build", "-trimpath", "-tags=nethttpomithttp2", "-buildvcs=false", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, "./cmd/emend")...)
	cmd.Dir, cmd.Stderr = filepath.Dir(strings.TrimSpace(string(self))), os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	return cmd.Run()
}

// measure returns the bytes of each piece in the file.
func measure(program string) (map[string]int, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pieces := map[string]int{".gopclntab": int(f.Section(".gopclntab").Size)}
	for _, name := range []string{".text", ".rodata", ".noptrdata", ".data", ".typelink", ".itablink"} {
		pieces["runtime tables"] += int(f.Section(name).Size) // less what has a name of its own, below
	}
	symbols, err := exec.Command("go", "tool", "nm", "-size", program).Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(symbols)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.Contains("tTrRdD", fields[2]) {
			continue
		}
		address, _ := strconv.ParseUint(fields[0], 16, 64)
		size, err := strconv.Atoi(fields[1])
		if piece := pieceOf(fields[3]); err == nil && piece != "" && inFile(f, address) {
			pieces[piece] += size
			pieces["runtime tables"] -= size
		}
	}
	return pieces, nil
}

// inFile reports whether an address has bytes in the file, and is not of the table of lines, which is counted as a whole.
func inFile(f *elf.File, address uint64) bool {
	i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return address >= s.Addr && address < s.Addr+s.Size })
	return i >= 0 && f.Sections[i].Type != elf.SHT_NOBITS && f.Sections[i].Name != ".gopclntab"
}

// packageOf is the path of a package at the beginning of a symbol.
var packageOf = regexp.MustCompile(`^((?:[^/ ()\[]+/)*[^./ ()\[]+)\.`)

// pieceOf returns the piece of a symbol; none for what the linker makes.
func pieceOf(symbol string) string {
	if strings.HasPrefix(symbol, "type:") || strings.HasPrefix(symbol, "go:") {
		return ""
	}
	m := packageOf.FindStringSubmatch(symbol)
	if m == nil {
		return ""
	}
	parts := strings.Split(strings.TrimPrefix(m[1], "vendor/"), "/")
	switch {
	case m[1] == "main" || strings.HasPrefix(m[1], "github.com/emend-dev/"):
		return own
	case strings.Contains(parts[0], "."):
		return strings.Join(parts[:min(len(parts), 3)], "/")
	}
	return parts[0]
}

func print(w io.Writer, pieces map[string]int, file int) error {
	names := slices.SortedFunc(maps.Keys(pieces), func(a, b string) int { return cmp.Compare(pieces[b], pieces[a]) })
	small, smallest := 0, 0
	fmt.Fprintf(w, "# What is in the program\n\n`go -C release run ./sizes` wrote this page: emend for Linux on amd64, %s stripped, as it is published. "+
		"A piece is emend itself, a module that it links, or a directory of Go's library.\n\n| piece | size | why |\n|---|--:|---|\n", megabytes(file))
	for _, name := range names {
		if pieces[name] < large {
			small, smallest = small+1, smallest+pieces[name]
			continue
		}
		if reasons[name] == "" {
			return fmt.Errorf("%s takes %s and has no reason in release/sizes", name, megabytes(pieces[name]))
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, megabytes(pieces[name]), reasons[name])
	}
	_, err := fmt.Fprintf(w, "| %d smaller ones | %s | each below 0.3 MB |\n%s", small, megabytes(smallest), footer)
	return err
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
