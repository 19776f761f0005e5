package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// undoPieces makes the pieces of a request from the flags --path and --hunk.
func undoPieces(paths []string, hunks string) ([]api.UndoPiece, error) {
	var numbers []int
	for field := range strings.SplitSeq(hunks, ",") {
		if hunks == "" {
			break
		}
		first, last, isRange := strings.Cut(strings.TrimSpace(field), "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 1 || to < from || to-from > maxHunkRange {
			return nil, usageErrorf("undo", "--hunk: %q is no number of a hunk, as emend show prints them: write 2, or 2,3, or 2-5", field)
		}
		for n := from; n <= to; n++ {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) > 0 && len(paths) != 1 {
		return nil, usageErrorf("undo", "--hunk numbers the hunks of one file: name that with --path")
	}
	var out []api.UndoPiece
	for _, p := range paths {
		out = append(out, api.UndoPiece{Path: p, Hunks: numbers})
	}
	return out, nil
}

// maxHunkRange bounds a range of hunks.
const maxHunkRange = 100_000

// askForPieces shows what an entry did, hunk by hunk, and asks which of it to take back, as git add -p does. It returns the request for what
// was answered with yes; chosen is false if that is nothing. The answers are read from standard input, one on a line.
func (a *app) askForPieces(ctx context.Context, ws *emend.Workspace, r api.UndoRequest) (out api.UndoRequest, chosen bool, err error) {
	if r.Entry == "" {
		dry := r
		dry.DryRun, dry.SkipConflicts = true, true
		rep, err := ws.Undo(ctx, dry)
		if err != nil {
			return r, false, err
		}
		r.Entry = rep.Undoes()[0]
	}
	e, err := ws.Show(ctx, r.Entry)
	if err != nil {
		return r, false, a.printError(err)
	}
	d := &e.Data
	r.Entry = d.Entry
	if !d.OK || d.UndoneBy != "" || len(d.Files) == 0 {
		return r, true, nil // undo says why not
	}
	if a.ttyIn {
		a.interruptReady.Wait()
	}
	r.Pieces, err = a.newPieceQuestions(d, r.Pieces, a.base).ask()
	return r, len(r.Pieces) > 0, err
}

// pieceQuestion asks about one piece of an entry.
type pieceQuestion struct {
	file  *api.LogEntry
	hunk  int    // its number; 0 for all that was done to the file
	what  string // "hunk", "deletion"
	shows string // the lines to show

	decided byte // 'y' or 'n'; 0 before there is an answer
}

// pieceQuestions asks about the pieces of an entry that are in effect.
type pieceQuestions struct {
	a   *app
	in  *bufio.Reader
	all [][]pieceQuestion // by file
}

func (a *app) newPieceQuestions(d *api.EntryData, only []api.UndoPiece, base string) *pieceQuestions {
	q := &pieceQuestions{a: a, in: bufio.NewReader(a.stdin())}
	for _, files := range together(d.Files) {
		asked := len(only) == 0 || slices.ContainsFunc(only, func(p api.UndoPiece) bool {
			return slices.ContainsFunc(files, func(f *api.LogEntry) bool { return touches(f, p.Path, base) })
		})
		if taken := report.TakenHunks(files[0].UndoneParts); taken[0] != "" || !asked {
			continue
		}
		if questions := questionsOf(files); len(questions) > 0 {
			q.all = append(q.all, questions)
		}
	}
	return q
}

// together groups the files of an entry that are taken back together, since the entry did several things at one path.
func together(files []api.LogEntry) (out [][]*api.LogEntry) {
	for i := range files {
		f, group := &files[i], []*api.LogEntry{}
		out = slices.DeleteFunc(out, func(g []*api.LogEntry) bool {
			meets := slices.ContainsFunc(g, func(h *api.LogEntry) bool {
				return h.Path == f.Path || h.Path == f.ToPath || h.ToPath != "" && (h.ToPath == f.Path || h.ToPath == f.ToPath)
			})
			if meets {
				group = append(group, g...)
			}
			return meets
		})
		out = append(out, append(group, f))
	}
	return out
}

// touches reports whether a file of an entry is at a path, as the log has it or relative to base, or below it.
func touches(f *api.LogEntry, p, base string) bool {
	for _, p := range []string{path.Clean(p), path.Join(base, p)} {
		for _, have := range []string{f.Path, f.ToPath} {
			if have != "" && (p == "." || have == p || strings.HasPrefix(have, p+"/")) {
				return true
			}
		}
	}
	return false
}

// questionsOf asks about each hunk of a file that is in effect, or about all that was done to the files.
func questionsOf(files []*api.LogEntry) (out []pieceQuestion) {
	f := files[0]
	if len(files) > 1 || report.HunksOf(f.Operation, f.Diff) == 0 {
		var shows strings.Builder
		for _, f := range files {
			if shows.WriteString(f.Diff); f.Diff == "" {
				fmt.Fprintf(&shows, "%s %s\n", report.OpLetter(f), report.OneLine(report.EntryPath(f)))
			}
		}
		return []pieceQuestion{{file: f, what: wholePiece(f), shows: shows.String()}}
	}
	header, hunks := splitHunks(f.Diff)
	taken := report.TakenHunks(f.UndoneParts)
	for i, h := range hunks {
		if taken[i+1] == "" {
			out = append(out, pieceQuestion{file: f, hunk: i + 1, what: "hunk", shows: header + h})
			header = ""
		}
	}
	return out
}

// wholePiece says what was done to a file that is taken back as a whole.
func wholePiece(f *api.LogEntry) string {
	switch f.Operation {
	case "add", "mkdir":
		return "addition"
	case "delete", "rmdir":
		return "deletion"
	case "move":
		return "move"
	}
	return "change"
}

// splitHunks splits the diff of a file into what stands before its hunks, and the hunks.
func splitHunks(diff string) (header string, hunks []string) {
	for {
		i := strings.LastIndex(diff, "\n@@ ")
		if i < 0 {
			slices.Reverse(hunks)
			return diff, hunks
		}
		hunks = append(hunks, diff[i+1:])
		diff = diff[:i+1]
	}
}

// numberHunks returns the diff of a file with the numbers of its hunks, by which they can be taken back, and what took them back. A patch
// program takes no notice of them.
func numberHunks(f *api.LogEntry) string {
	n := report.HunksOf(f.Operation, f.Diff)
	taken := report.TakenHunks(f.UndoneParts)
	if n == 0 || n == 1 && len(taken) == 0 {
		return f.Diff
	}
	header, hunks := splitHunks(f.Diff)
	var b strings.Builder
	b.WriteString(header)
	for i, h := range hunks {
		range_, lines, _ := strings.Cut(h, "\n")
		fmt.Fprintf(&b, "%s hunk %d", range_, i+1)
		if by := taken[i+1]; by != "" {
			b.WriteString(", undone by " + by)
		}
		b.WriteString("\n" + lines)
	}
	return b.String()
}

const pieceHelp = `y - undo this %[1]s
n - keep this %[1]s
q - quit; keep this %[1]s and all remaining ones
a - undo this %[1]s and all later hunks in the file
d - keep this %[1]s and all later hunks in the file
g - select a hunk to go to
/ - search for a hunk matching a regular expression
j - leave this %[1]s undecided, see next undecided hunk
J - leave this %[1]s undecided, see next hunk
k - leave this %[1]s undecided, see previous undecided hunk
K - leave this %[1]s undecided, see previous hunk
p - print the %[1]s again
? - print help
`

// ask asks the questions of one file after the other, and returns the pieces that were answered with yes. The end of the input is like q.
func (q *pieceQuestions) ask() (out []api.UndoPiece, err error) {
	for _, file := range q.all {
		quit, err := q.askFile(file)
		if err != nil {
			return nil, err
		}
		piece := api.UndoPiece{Path: file[0].file.Path}
		yes := 0
		for i := range file {
			if file[i].decided != 'y' {
				continue
			}
			if yes++; file[i].hunk > 0 {
				piece.Hunks = append(piece.Hunks, file[i].hunk)
			}
		}
		if yes > 0 {
			out = append(out, piece)
		}
		if quit {
			break
		}
	}
	return out, nil
}

// askFile asks about the pieces of a file until each is decided, and reports whether the answer was to ask no more.
func (q *pieceQuestions) askFile(file []pieceQuestion) (quit bool, err error) {
	for at := 0; at >= 0; {
		command, rest, err := q.answer(file, at)
		if err != nil {
			return false, err
		}
		switch command {
		case 'q':
			return true, nil
		case 'y', 'n':
			file[at].decided = command
			at = undecided(file, at, 1)
		case 'a', 'd':
			for i := at; i < len(file); i++ {
				if file[i].decided == 0 {
					file[i].decided = map[byte]byte{'a': 'y', 'd': 'n'}[command]
				}
			}
			at = undecided(file, at, 1)
		default:
			to, problem := q.move(file, at, command, rest)
			if problem != "" {
				fmt.Fprintln(q.a.out, q.a.colorize(red, problem))
				continue
			}
			at = to
		}
	}
	return false, nil
}

// undecided returns the next piece without an answer from i on, by steps of 1 or -1, around the end; -1 for none.
func undecided(file []pieceQuestion, i, step int) int {
	for n := range file {
		if at := (i + step*(n+1) + 2*len(file)) % len(file); file[at].decided == 0 {
			return at
		}
	}
	return -1
}

// move returns the piece that a command goes to, or why there is none.
func (q *pieceQuestions) move(file []pieceQuestion, at int, command byte, rest string) (to int, problem string) {
	switch command {
	case 'J', 'K':
		step := map[byte]int{'J': 1, 'K': len(file) - 1}[command]
		if len(file) == 1 {
			return at, "No other hunk"
		}
		return (at + step) % len(file), ""
	case 'j', 'k':
		to = undecided(file, at, map[byte]int{'j': 1, 'k': -1}[command])
		if to == at {
			return at, "No other undecided hunk"
		}
		return to, ""
	case 'g':
		if rest == "" {
			q.list(file)
			rest = q.line("go to which hunk? ")
		}
		n, err := strconv.Atoi(rest)
		if err != nil {
			return at, fmt.Sprintf("Invalid number: %q", rest)
		}
		if n < 1 || n > len(file) {
			return at, fmt.Sprintf("Sorry, only %d hunks are there.", len(file))
		}
		return n - 1, ""
	case '/':
		if rest == "" {
			rest = q.line("search for regex? ")
		}
		wanted, err := regexp.Compile(rest)
		if err != nil {
			return at, fmt.Sprintf("Malformed search expression %s: %v", rest, err)
		}
		for n := range file {
			if to = (at + n) % len(file); wanted.MatchString(file[to].shows) {
				return to, ""
			}
		}
		return at, "No hunk matches the given pattern"
	}
	return at, ""
}

// list lists the pieces of a file: number, the answer so far, and the first changed line.
func (q *pieceQuestions) list(file []pieceQuestion) {
	for i := range file {
		sign := map[byte]string{'y': "+", 'n': "-"}[file[i].decided]
		_, body, _ := strings.Cut("\n"+file[i].shows, "\n@@ ")
		place, lines, _ := strings.Cut(body, "\n")
		changed := ""
		for line := range strings.Lines(lines) {
			if line[0] != ' ' {
				changed = report.OneLine(strings.TrimSpace(line))
				break
			}
		}
		place, _, _ = strings.Cut(place, " @@")
		fmt.Fprintf(q.a.out, "%1s%2d: %-16s %s\n", sign, i+1, place, changed)
	}
}

// line asks for a line; "" at the end of the input.
func (q *pieceQuestions) line(prompt string) string {
	fmt.Fprint(q.a.out, prompt)
	line, _ := q.in.ReadString('\n')
	return strings.TrimSpace(line)
}

// answer shows a piece and asks until there is an answer: one of the letters, and for g and / what was written behind it.
func (q *pieceQuestions) answer(file []pieceQuestion, i int) (command byte, rest string, err error) {
	a, p := q.a, &file[i]
	a.printDiff(a.out, p.shows)
	letters := "y,n,q,a,d,?"
	if len(file) > 1 {
		letters = "y,n,q,a,d,g,/,j,J,k,K,p,?"
	}
	for {
		fmt.Fprint(a.out, a.colorize(blue, fmt.Sprintf("(%d/%d) Undo this %s [%s]?", i+1, len(file), p.what, letters))+" ")
		line, err := q.in.ReadString('\n')
		if line = strings.TrimSpace(line); err != nil && (err != io.EOF || line == "") {
			fmt.Fprintln(a.out)
			if err == io.EOF {
				return 'q', "", nil
			}
			return 0, "", err
		}
		switch {
		case line == "":
		case strings.Contains("g/", line[:1]):
			return line[0], strings.TrimSpace(line[1:]), nil
		case len(line) > 1:
			fmt.Fprintln(a.out, a.colorize(red, fmt.Sprintf("Only one letter is expected, got %q", line)))
			continue
		case strings.Contains("ynqadjkJK", line):
			return line[0], "", nil
		case strings.Contains("YNQAD", line):
			return strings.ToLower(line)[0], "", nil
		case line == "p":
			a.printDiff(a.out, p.shows)
			continue
		case strings.Contains("se", line):
			fmt.Fprintln(a.out, a.colorize(red, "A hunk is undone whole, so that the log can name it. Edit the file to change less."))
			continue
		}
		fmt.Fprint(a.out, a.colorize(red, fmt.Sprintf(pieceHelp, p.what)))
	}
}
