package browser

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/emend-dev/emend/proof/product"
)

var (
	program string          // emend, built as it is shipped
	chrome  context.Context // one browser for all tests; each test has a private window
	absent  string          // why there is no browser, or ""
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	defer start(dir)()
	if absent != "" {
		return m.Run() // the tests skip themselves
	}
	program = filepath.Join(dir, "emend")
	if err := product.Build(context.Background(), program, "-trimpath"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// start starts the browser, or sets absent.
func start(dir string) (stop func()) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("EMEND_CHROMIUM"), "chromium"))
	if err != nil {
		absent = "chromium is not installed"
		return func() {}
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options(path, dir)...)
	chrome, _ = chromedp.NewContext(ctx)
	if err := chromedp.Do(chrome); err != nil {
		absent = fmt.Sprintf("chromium does not start: %v", err)
	}
	return func() {
		chromedp.Cancel(chrome) //nolint:errcheck // it ends in either case
		cancel()
	}
}

// options start a browser that makes no requests of its own. It has no sandbox, since it may have to run as root; it opens only
// emend's own pages.
func options(path, dir string) []chromedp.ExecAllocatorOption {
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoInheritEnv, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Env("PATH=/usr/bin:/bin", "HOME="+dir, "LANG=C.UTF-8", "TZ=UTC"), chromedp.WindowSize(1280, 800),
		chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.Flag("force-color-profile", "srgb"),
	}
	for _, name := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync",
		"disable-default-apps", "disable-extensions", "disable-dev-shm-usage", "disable-breakpad", "hide-scrollbars",
		"disable-background-timer-throttling", "disable-renderer-backgrounding", "disable-backgrounding-occluded-windows"} {
		opts = append(opts, chromedp.Flag(name, true))
	}
	return opts
}

// needBrowser skips a test if there is no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if absent != "" {
		t.Skipf("NOT RUN: %s", absent)
	}
}
