package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// way is a way to be able to go back, around a command.
type way struct {
	name string
	args func(b *bench, root, script string, number int) []string
	// settle runs before each run, untimed. It takes note of what the other ways changed.
	settle func(b *bench, root string) []string
	silent bool // it prints nothing unless something is wrong
	served bool // a server of the workspace runs beside it, whose processor time counts
	most   int  // so many runs in trees of more than 10,000 files; 0 for as many as the others
}

const hookWay = "the hooks, `emend hook claude-code` before and after the command"

// hooked runs a command between two hooks.
func hooked(b *bench, script string, number int) []string {
	hook := func(moment string) string { return b.emend + " hook claude-code <" + b.event(moment) }
	return shell(hook("PreToolUse")+"; "+script+"; "+hook("PostToolUse"), number)
}

var allWays = []way{
	{name: "the command alone", args: func(_ *bench, _, script string, number int) []string { return shell(script, number) }},
	{name: "`emend run`", silent: true, settle: look, args: func(b *bench, _, script string, number int) []string {
		return append([]string{b.emend, "-q", "run", "--mode", "witness", "--"}, shell(script, number)...)
	}},
	{name: hookWay, silent: true, settle: look, args: func(b *bench, _, script string, number int) []string { return hooked(b, script, number) }},
	{name: "the hooks, beside `emend serve`", silent: true, served: true, settle: func(b *bench, _ string) []string { return hooked(b, "true", 0) },
		args: func(b *bench, _, script string, number int) []string { return hooked(b, script, number) }},
	{name: overlayWay, silent: true, args: func(b *bench, _, script string, number int) []string {
		return append([]string{b.emend, "-q", "run", "--mode", "overlay", "--"}, shell(script, number)...)
	}},
	{name: "`git stash create`, then the command", settle: func(*bench, string) []string { return shell("git update-index -q --refresh || true", 0) },
		args: func(_ *bench, _, script string, number int) []string {
			return shell("git stash create >/dev/null && "+script, number)
		}},
	{name: "`git status` before and after, which keeps nothing", settle: func(*bench, string) []string { return shell("git update-index -q --refresh || true", 0) },
		args: func(_ *bench, _, script string, number int) []string {
			return shell("git status --porcelain >/dev/null; "+script+"; git status --porcelain >/dev/null", number)
		}},
	{name: "a repository beside the tree (`add -A`, `commit`), then the command", settle: func(_ *bench, root string) []string { return shell(shadow(root), 0) },
		args: func(_ *bench, root, script string, number int) []string {
			return shell(shadow(root)+" && "+script, number)
		}},
	{name: "a copy (`cp -a`), then the command", most: 3, settle: func(_ *bench, root string) []string { return shell("rm -rf "+root+".copy", 0) },
		args: func(_ *bench, root, script string, number int) []string {
			return shell("cp -a . "+root+".copy && "+script, number)
		}},
}

const overlayWay = "`emend run --mode overlay`"

// look is a pair of looks that changes nothing.
func look(b *bench, _ string) []string {
	return []string{b.emend, "-q", "run", "--mode", "witness", "--", "true"}
}

// shadow takes a snapshot in the repository beside the tree.
func shadow(root string) string {
	git := "git --git-dir=" + root + ".shadow --work-tree=. "
	return git + "add -A && " + git + "-c user.name=b -c user.email=b@example.com -c gc.auto=0 commit -q --allow-empty -m r"
}

// event names the file of a hook's event.
func (b *bench) event(moment string) string { return filepath.Join(b.scratch, moment+".json") }

// findWays finds out which ways work here, and writes the events of the hooks.
func (b *bench) findWays(ctx context.Context) error {
	for _, moment := range []string{"PreToolUse", "PostToolUse"} {
		text, err := json.Marshal(map[string]any{"session_id": "s", "hook_event_name": moment, "tool_name": "Bash", "tool_use_id": "c",
			"tool_input": map[string]string{"command": "a command"}, "tool_response": map[string]string{}})
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.event(moment), text, 0o644); err != nil {
			return err
		}
	}
	small := filepath.Join(b.scratch, "small")
	if err := makeTree(ctx, small, 2); err != nil {
		return err
	}
	defer os.RemoveAll(small)
	for _, w := range allWays {
		if b.skip != "" && strings.Contains(w.name, b.skip) {
			b.missing = append(b.missing, w.name+": left out by -skip.")
			continue
		}
		cmd := exec.CommandContext(ctx, b.emend, "run", "--mode", "overlay", "--", "true")
		cmd.Dir = small
		if said, err := cmd.CombinedOutput(); w.name == overlayWay && err != nil {
			b.missing = append(b.missing, fmt.Sprintf("%s: %s", w.name, said))
			continue
		}
		b.ways = append(b.ways, w)
	}
	return nil
}
