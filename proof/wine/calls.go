package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emend-dev/emend/proof/product"
)

// fileCall matches a call about files in the trace that wine writes.
var fileCall = regexp.MustCompile(`^[0-9a-f]+:Call ntdll\.(Nt(?:Create|Open|Read|Write|Lock|Unlock|FsControl|FlushBuffers|Query(?:Full)?(?:Attributes|Directory|Information|VolumeInformation|Ea)|Set(?:Information|VolumeInformation))File(?:Ex)?|Nt(?:Query|Set)SecurityObject)\(`)

// traceLine matches the process at the beginning of a line of the trace.
var traceLine = regexp.MustCompile(`(?m)^[0-9a-f]{4,}:`)

// calls counts the calls about files that a change of one file and of eleven takes: by emend, and by a program that replaces files
// with MoveFileEx. What a program does to start is in both counts of it, and in neither row "each further file".
func (c config) calls(ctx context.Context) error {
	if err := prepare(ctx, c); err != nil {
		return err
	}
	defer stopServer(c)
	top, err := product.Dir(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "emend-calls-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for program, of := range map[string]string{"emend.exe": top + "\n./cmd/emend", "writer.exe": filepath.Join(top, "proof") + "\n./wine/writer"} {
		at, pkg, _ := strings.Cut(of, "\n")
		build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, program), pkg)
		build.Dir, build.Env, build.Stderr = at, append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"), os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	fmt.Print("| program | to start | one file | each further file | flushes: one file | each further file |\n|---|--:|--:|--:|--:|--:|\n")
	for _, p := range []struct {
		name, program string
		start         []string
		change        func(files []string) []string
	}{
		{"`emend apply`", "emend.exe", []string{"version"}, func([]string) []string { return []string{"apply", "p"} }},
		{"a program with `MoveFileEx`", "writer.exe", nil, func(files []string) []string { return files }},
	} {
		var all, flushes [3]int
		for i, count := range []int{0, 1, 11} {
			work, files, err := tree(dir, p.program, count)
			if err != nil {
				return err
			}
			args := p.start
			if count > 0 {
				args = p.change(files)
				if p.program == "emend.exe" { // the first change also makes the store
					if _, err := c.traced(ctx, work, "../emend.exe", "apply", "first"); err != nil {
						return err
					}
				}
			}
			found, err := c.traced(ctx, work, "../"+p.program, args...)
			if err != nil {
				return err
			}
			all[i], flushes[i] = len(found), len(slices.DeleteFunc(found, func(call string) bool { return call != "NtFlushBuffersFile" }))
			for _, file := range files {
				if text, err := os.ReadFile(filepath.Join(work, file)); err != nil || string(text) != "two\n" {
					return fmt.Errorf("%s made %q of %s: %v", p.program, text, file, err)
				}
			}
		}
		fmt.Printf("| %s | %d | %d | %.1f | %d | %.1f |\n", p.name, all[0], all[1]-all[0], float64(all[2]-all[1])/10, flushes[1], float64(flushes[2]-flushes[1])/10)
	}
	return nil
}

// tree makes a directory with some files, a patch of them, and one of another file.
func tree(dir, program string, count int) (work string, files []string, err error) {
	work = filepath.Join(dir, fmt.Sprintf("%s-%d", program, count))
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", nil, err
	}
	patch := "*** Begin Patch\n"
	texts := map[string]string{"other": "one\n", "first": patch + "*** Update File: other\n@@\n-one\n+two\n*** End Patch\n"}
	for i := range count {
		name := fmt.Sprintf("f%d", i)
		files = append(files, name)
		texts[name] = "one\n"
		patch += "*** Update File: " + name + "\n@@\n-one\n+two\n"
	}
	texts["p"] = patch + "*** End Patch\n"
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return "", nil, err
		}
	}
	return work, files, nil
}

// traced runs a program in wine and returns its calls about files.
func (c config) traced(ctx context.Context, work, program string, args ...string) (found []string, err error) {
	trace := filepath.Join(work, "trace")
	line := fmt.Sprintf("cd '%s' && WINEDEBUG=+pid,+relay exec wine %s %s >said 2>trace", hostDir+work, program, strings.Join(args, " "))
	if err := c.shell(ctx, line); err != nil {
		said, _ := os.ReadFile(filepath.Join(work, "said"))
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		return nil, err
	}
	process := string(traceLine.Find(text)) // the first is the program; others are what wine starts when nothing of it runs
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, process); ok {
			if m := fileCall.FindStringSubmatch(rest); m != nil {
				found = append(found, m[1])
			}
		}
	}
	return found, os.Remove(trace)
}
