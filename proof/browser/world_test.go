package browser

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// world is a home directory with one workspace, which no other test shares.
type world struct {
	t    *testing.T
	home string
	work string
	env  []string
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	return worldAt(t, t.TempDir(), files)
}

func worldAt(t *testing.T, root string, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(root, "home"), work: filepath.Join(root, "shop")}
	w.env = []string{"HOME=" + w.home, "XDG_CONFIG_HOME=" + filepath.Join(w.home, "config"), "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC"}
	for _, dir := range []string{w.home, filepath.Join(w.work, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	for name, content := range files {
		w.write(name, content)
	}
	return w
}

// write writes a file of the workspace, as a person does with an editor.
func (w *world) write(name, content string) {
	w.t.Helper()
	w.put(filepath.Join(w.work, name), content)
}

// policy writes the policy file of the account.
func (w *world) policy(text string) {
	w.t.Helper()
	w.put(filepath.Join(w.home, "config", "emend", "policy.toml"), text)
}

func (w *world) put(path, content string) {
	w.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// read returns the content of a file in the workspace, or "" if there is none.
func (w *world) read(name string) string { w.t.Helper(); return w.get(filepath.Join(w.work, name)) }

func (w *world) get(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(text)
}

// holds fails unless a file has the given content.
func (w *world) holds(when, name, want string) {
	w.t.Helper()
	if got := w.read(name); got != want {
		w.t.Errorf("%s: %s is %q, not %q", when, name, got, want)
	}
}

// command returns a command that runs emend in the workspace, as the person of this account.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = w.work, w.env
	return cmd
}

// server is a running program that serves pages.
type server struct {
	cmd   *exec.Cmd
	base  string // its address
	token string // for the login
	done  func()
}

var address = regexp.MustCompile(`(https?://127\.0\.0\.1:\d+)/ui/(#token=\S+)?`)

// ui starts emend ui.
func (w *world) ui(args ...string) *server {
	w.t.Helper()
	return w.serve(slices.Concat([]string{"ui", "--no-open"}, args)...)
}

// serve starts a program that prints the address of its pages, on standard output or standard error.
func (w *world) serve(args ...string) *server {
	w.t.Helper()
	cmd := w.command(args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	s, rest := &server{cmd: cmd}, &sync.WaitGroup{}
	s.done = sync.OnceFunc(func() { w.stop(s, rest) })
	w.t.Cleanup(s.done)
	late := time.AfterFunc(timeLimit, func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for s.base == "" && lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			s.base, s.token = m[1], strings.TrimPrefix(m[2], "#token=")
		}
	}
	late.Stop()
	if s.base == "" {
		w.t.Fatalf("emend %s does not say where its pages are", strings.Join(args, " "))
	}
	if s.token == "" { // emend serve keeps it in a file
		s.token = strings.TrimSpace(w.get(filepath.Join(w.home, "config", "emend", "ui.key")))
	}
	rest.Go(func() {
		for lines.Scan() { // drain the pipe, so that the program does not block
		}
	})
	return s
}

// stop stops a server as Ctrl-C does. It must end by itself, without an error.
func (w *world) stop(s *server, rest *sync.WaitGroup) {
	s.cmd.Process.Signal(syscall.SIGINT)
	late := time.AfterFunc(timeLimit, func() { s.cmd.Process.Kill() })
	defer late.Stop()
	rest.Wait()
	if err := s.cmd.Wait(); err != nil {
		w.t.Errorf("%s, told to end: %v", s.cmd, err)
	}
}

// pages opens a window that is logged in to the pages of the workspace.
func (s *server) pages(t *testing.T) *tab {
	t.Helper()
	b := window(t, s.base+"/ui/default/")
	if strings.HasPrefix(s.base, "https:") { // with a certificate that nobody vouches for
		command(b, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	}
	b.do("come in", chromedp.Navigate(s.base+"/ui/#token="+s.token))
	b.until("the timeline", `location.pathname.endsWith("/default/") && document.readyState === "complete"`)
	b.base = eval[string](b, "location.origin + location.pathname")
	return b
}
