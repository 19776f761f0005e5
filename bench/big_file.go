package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Every tenth line of a big file can be changed. It is indented and has typographic quotes and a dash, so that each rung has
// something to tolerate.
const (
	every = 10
	odd   = every / 2
)

func appendLine(b []byte, i int) []byte {
	if i%every == odd {
		b = append(b, "\tline "...)
		b = strconv.AppendInt(b, int64(i), 10)
		return append(b, " says “this” – always\n"...)
	}
	b = append(b, "line "...)
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ", as it always was\n"...)
}

// base returns the file of so many lines. It is created once in a run.
func (b *bench) base(lines int) (name string, size int64, err error) {
	name = filepath.Join(b.scratch, "lines-"+abbreviated(lines))
	if is, err := os.Stat(name); err == nil {
		return name, is.Size(), nil
	}
	size, err = create(name, func(w io.Writer) { writeLines(w, lines, func(b []byte, i int) []byte { return appendLine(b, i) }) })
	return name, size, err
}

// create creates a file and has write fill it.
func create(name string, write func(io.Writer)) (size int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w)
	err = w.Flush()
	size, seekErr := f.Seek(0, io.SeekCurrent)
	return size, errors.Join(err, seekErr, f.Close())
}

func writeLines(w io.Writer, lines int, line func(b []byte, i int) []byte) {
	var b []byte
	for i := range lines {
		if b = line(b, i); len(b) >= 1<<16 {
			w.Write(b) // Flush reports the error of a file, and a hash has none
			b = b[:0]
		}
	}
	w.Write(b)
}

// plain returns the sum of the unchanged file.
func plain(lines int) string {
	return sumOfLines(lines, func(b []byte, i int) []byte { return appendLine(b, i) })
}

// sum returns the sum of the file after the patch.
func (s *bigFile) sum() string {
	return sumOfLines(s.lines, func(b []byte, i int) []byte {
		if s.target(i/s.block()) == i {
			return append(b, s.added(i)...)
		}
		return appendLine(b, i)
	})
}

func sumOfLines(lines int, line func(b []byte, i int) []byte) string {
	h := sha256.New()
	writeLines(h, lines, line)
	return hex.EncodeToString(h.Sum(nil))
}

// block returns the number of lines for each hunk. target returns the line that hunk k changes, or -1.
func (s *bigFile) block() int { return s.lines / s.hunks }

func (s *bigFile) target(k int) int {
	if k >= s.hunks {
		return -1
	}
	middle := k*s.block() + s.block()/2
	return middle - middle%every + odd
}

// added returns the new line i.
func (s *bigFile) added(i int) string {
	if s.rung == "whitespace" {
		return ""
	}
	return fmt.Sprintf("line %d is new\n", i)
}

// removed returns line i as the patch spells it, so that the rung of the patch is the first one on which it matches.
func (s *bigFile) removed(i int) string {
	line := strings.TrimSuffix(string(appendLine(nil, i)), "\n")
	switch s.rung {
	case "trailing":
		return line + "  "
	case "whitespace":
		return strings.TrimSpace(line)
	case "unicode":
		return strings.NewReplacer("“", `"`, "”", `"`, "–", "-").Replace(line)
	}
	return line
}

// write writes the patch.
func (s *bigFile) write(name string) error {
	_, err := create(name, func(w io.Writer) {
		io.WriteString(w, "*** Begin Patch\n*** Update File: f\n")
		for k := range s.hunks {
			s.writeHunk(w, k)
		}
		io.WriteString(w, "*** End Patch\n")
	})
	return err
}

// writeHunk writes hunk k. On the rung exact it has three lines of context on either side.
func (s *bigFile) writeHunk(w io.Writer, k int) {
	i := s.target(k)
	removed, added := "-"+s.removed(i)+"\n", s.added(i)
	if s.nowhere && k == s.hunks-1 {
		removed = "-line " + strconv.Itoa(i) + " was never here\n"
	}
	if added != "" {
		added = "+" + added
	}
	var before, after []byte
	if s.rung == "exact" {
		for d := range 3 {
			before = appendLine(append(before, ' '), i-3+d)
			after = appendLine(append(after, ' '), i+1+d)
		}
	}
	fmt.Fprintf(w, "@@\n%s%s%s%s", before, removed, added, after)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func sumOf(r io.Reader) string {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
}

// checkSum compares the sum of a file with the expected one.
func checkSum(name, want string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if got := sumOf(f); got != want {
		return fmt.Errorf("%s is not what it should be: %s, and not %s", filepath.Base(name), got, want)
	}
	return nil
}
