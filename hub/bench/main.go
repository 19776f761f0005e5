// Command bench measures how long a hub's searches and pages take, by how many records and workspaces it has. It prints the table of RESULTS.md. The peer
// is grep over the same records in one file, as a hub without an index would be searched.
//
//	go -C hub run ./bench                                   # 10^4 and 10^6 records of 10, 100 and 1,000 workspaces
//	go -C hub run ./bench -records 100000 -workspaces 100
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/pages"
	"github.com/emend-dev/emend/hub/wire"
)

func main() {
	records := flag.String("records", "10000,1000000", "how many records")
	workspaces := flag.String("workspaces", "10,100,1000", "of how many workspaces")
	flag.Parse()
	if err := run(numbers(*records), numbers(*workspaces)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func numbers(s string) (out []int) {
	for f := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
		out = append(out, n)
	}
	return out
}

func run(records, workspaces []int) error {
	fmt.Printf("%s %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, n := range records {
		for _, ws := range workspaces {
			if err := measure(n, ws); err != nil {
				return err
			}
		}
	}
	return nil
}

// world is a hub with records.
type world struct {
	index   *index.Index
	site    *pages.Site
	broker  *broker.Broker
	lines   string // the file with all records
	session index.Session
	token   string
	cookie  string
	root    string
}

func measure(records, workspaces int) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hub-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &world{lines: filepath.Join(dir, "records.jsonl")}
	if w.index, err = index.Open(ctx, filepath.Join(dir, "index.db"), 4); err != nil {
		return err
	}
	defer w.index.Close()
	if w.broker, err = broker.Open(ctx, broker.Options{Dir: filepath.Join(dir, "hub"), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}); err != nil {
		return err
	}
	defer w.broker.Close()
	took, stored, err := w.fill(ctx, records, workspaces)
	if err != nil {
		return err
	}
	fmt.Printf("\n## %s records, %d workspaces\n\n", grouped(stored), workspaces)
	fmt.Printf("Verified and indexed at %s records a second; the index has %.0f bytes a record.\n\n", grouped(int(float64(stored)/took.Seconds())), float64(w.index.Bytes())/float64(stored))
	return w.ask(ctx)
}

// fill makes up records, verifies them and indexes them. It returns how long the last two took.
func (w *world) fill(ctx context.Context, records, workspaces int) (took time.Duration, stored int, err error) {
	f, err := os.Create(w.lines)
	if err != nil {
		return 0, 0, err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	fleet, err := w.broker.JetStream().KeyValue(ctx, wire.Fleet)
	if err != nil {
		return 0, 0, err
	}
	var writers []*hubtest.Writer
	for i := range workspaces {
		writers = append(writers, hubtest.NewWriter(uint64(i)))
		labels := []string{"all", fmt.Sprintf("team-%d", i%10)}
		member, err := json.Marshal(wire.Member{ID: writers[i].Workspace, Name: fmt.Sprintf("ws-%04d", i), Labels: labels, Joined: time.Now()})
		if err != nil {
			return 0, 0, err
		}
		if _, err := fleet.Put(ctx, "member."+writers[i].Workspace, member); err != nil {
			return 0, 0, err
		}
	}
	start := time.Now().Add(-30 * 24 * time.Hour)
	step := 30 * 24 * time.Hour / time.Duration(records)
	stream := uint64(0)
	for n := 0; n < records; {
		began := time.Duration(0)
		err := w.index.Update(ctx, func(tx *index.Tx) error {
			for range 64 {
				if n >= records {
					break
				}
				x := writers[int(stream)%workspaces]
				stream++
				after := x.Head
				var lines [][]byte
				for range min(50, max(1, records/workspaces/4)) {
					lines = append(lines, x.Call(start.Add(time.Duration(n+len(lines))*step))...)
				}
				n += len(lines)
				for _, line := range lines {
					out.Write(line)
					out.WriteByte('\n')
				}
				message := x.Message(after, lines...)
				at := time.Now()
				v, err := hubtest.Take(tx, stream, time.Now(), x.Log, message)
				if err != nil {
					return err
				}
				if len(v.Findings) > 0 {
					return errors.New(v.Findings[0].Text)
				}
				if err := tx.Store(v); err != nil {
					return err
				}
				began += time.Since(at)
			}
			stored = n
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
		took += began
	}
	return took, stored, errors.Join(out.Flush(), f.Close())
}

// ask measures the questions and the pages.
func (w *world) ask(ctx context.Context) error {
	all, _, err := w.index.Sessions(ctx, nil, "", 1)
	if err != nil {
		return err
	}
	w.session = all[0]
	members, err := w.broker.Members(ctx)
	if err != nil {
		return err
	}
	var team []string
	for _, m := range members {
		if slices.Contains(m.Labels, "team-3") {
			team = append(team, m.ID)
		}
	}
	day := time.Now().Add(-24 * time.Hour)
	path := "src/billing/mod01/file07.go"
	text := "FILE07"
	fmt.Print("| question | finds | median | worst | grep |\n|---|---|---|---|---|\n")
	for _, q := range []struct {
		name  string
		query index.Query
		grep  []string
	}{
		{"the newest 50", index.Query{}, nil},
		{"a workspace", index.Query{Workspaces: []string{w.session.Workspace}}, nil},
		{"a label: a tenth of the workspaces", index.Query{Workspaces: team}, nil},
		{"a file", index.Query{Path: path}, []string{"-F", `"path":"` + path + `"`}},
		{"a directory", index.Query{Path: "src/billing"}, []string{"-F", `"path":"src/billing/`}},
		{"a session", index.Query{Session: w.session.Name}, []string{"-F", `"session":"` + w.session.Name + `"`}},
		{"a program, refused, of one day", index.Query{Client: "codex-mcp-client/0.159.0", Kind: "refused", Since: day}, nil},
		{"a text in many names", index.Query{Text: text}, []string{"-i", "-F", text}},
		{"a text in one session's name", index.Query{Text: w.session.Name[3:]}, []string{"-i", "-F", w.session.Name[3:]}},
		{"a text that nothing has", index.Query{Text: "nothing has this"}, []string{"-i", "-F", "nothing has this"}},
		{"a text of two letters", index.Query{Text: "ks"}, []string{"-i", "-F", "ks"}},
		{"a file, in a label, undone", index.Query{Path: path, Kind: "undo", Workspaces: team}, nil},
		{"a transaction", index.Query{Text: transactionOf(ctx, w.index)}, []string{"-F", transactionOf(ctx, w.index)}},
	} {
		found := 0
		median, worst, err := times(func() error {
			p, err := w.index.Find(ctx, q.query)
			if err == nil {
				found = len(p.Entries)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		fmt.Printf("| %s | %d | %s | %s | %s |\n", q.name, found, ms(median), ms(worst), w.grep(q.grep))
	}
	return w.pages(ctx, team, path)
}

func transactionOf(ctx context.Context, x *index.Index) string {
	p, err := x.Find(ctx, index.Query{Kind: "commit", Limit: 1})
	if err != nil || len(p.Entries) == 0 {
		return ""
	}
	return p.Entries[0].Record.Tx
}

// grep times the peer: it counts the lines that match.
func (w *world) grep(args []string) string {
	if args == nil {
		return ""
	}
	if _, err := exec.LookPath("grep"); err != nil {
		return "NOT RUN"
	}
	start := time.Now()
	cmd := exec.Command("grep", append(append([]string{"-c"}, args...), w.lines)...)
	cmd.Env = []string{"LC_ALL=C"}
	var count strings.Builder
	cmd.Stdout = &count // to /dev/null it would end at the first match
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		return "NOT RUN"
	}
	return ms(time.Since(start))
}

// pages measures the pages, as a browser that is signed in gets them.
func (w *world) pages(ctx context.Context, team []string, path string) error {
	ctl, err := control.Open(ctx, w.broker, control.Options{})
	if err != nil {
		return err
	}
	if w.token, err = ctl.First(ctx); err != nil {
		return err
	}
	w.site = pages.New(pages.Config{Broker: w.broker, Index: w.index, Control: ctl, URL: "https://127.0.0.1", Version: "bench"})
	form := url.Values{"token": {w.token}}.Encode()
	r := httptest.NewRequest(http.MethodPost, "/ui/login", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	w.site.ServeHTTP(answer, r)
	if answer.Code != http.StatusSeeOther {
		return fmt.Errorf("signing in: %d", answer.Code)
	}
	w.root = answer.Header().Get("Location")
	w.cookie, _, _ = strings.Cut(answer.Header().Get("Set-Cookie"), ";")
	fmt.Print("\n| page | KiB | median | worst |\n|---|---|---|---|\n")
	for _, p := range []struct{ name, path string }{
		{"Fleet", ""}, {"Timeline", "timeline"}, {"Timeline of a label", "timeline?label=team-3"}, {"Timeline with a text", "timeline?q=file07"}, {"Sessions", "sessions"},
		{"a session", "session/" + w.session.Workspace + "?name=" + w.session.Name}, {"a workspace", "workspace/" + w.session.Workspace},
		{"a file over clones", "file?repository=" + w.session.Workspace + "&path=" + path}, {"Waiting", "waiting"}, {"Policy", "policy"}, {"Acts", "acts"},
	} {
		size := 0
		median, worst, err := times(func() error {
			r := httptest.NewRequest(http.MethodGet, w.root+p.path, nil)
			r.Header.Set("Cookie", w.cookie)
			a := httptest.NewRecorder()
			w.site.ServeHTTP(a, r)
			body, _ := io.ReadAll(a.Body)
			if size = len(body); a.Code != http.StatusOK {
				return fmt.Errorf("%s: %d", p.name, a.Code)
			}
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %s | %s |\n", p.name, size>>10, ms(median), ms(worst))
	}
	return nil
}

// rounds is the number of times that each question is asked.
const rounds = 21

func times(fn func() error) (median, worst time.Duration, err error) {
	var all []time.Duration
	for range rounds {
		start := time.Now()
		if err := fn(); err != nil {
			return 0, 0, err
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1], nil
}

func ms(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// grouped formats a number with a comma before every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
