package find

import (
	"os"
	"path/filepath"
	"strings"
)

// IgnoreSources lists the files and directories outside of the workspace at root that its ignore rules may be read from: the
// rules of the directories above, up to the top of its repository, the repository of a linked worktree, and git's
// configuration. They need not exist.
func IgnoreSources(root string) []string {
	home, _ := os.UserHomeDir()
	config := configDir(home)
	out := gitConfigs(home, config)
	if file := excludesPath(home, config); file != "" {
		out = append(out, file)
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return out
	}
	for up := real; ; up = filepath.Dir(up) {
		if up != real {
			out = append(out, filepath.Join(up, gitIgnoreName), filepath.Join(up, dotGit, "info"))
		}
		if isGit(up) {
			return append(out, linkedSources(up)...)
		}
		if up == filepath.Dir(up) {
			return out
		}
	}
}

// linkedSources lists what a file called .git leads to.
func linkedSources(dir string) []string {
	at := filepath.Join(dir, dotGit)
	gitDir, ok := strings.CutPrefix(strings.TrimSpace(string(readAt(at))), "gitdir: ")
	if !ok {
		return nil
	}
	gitDir = joinPath(dir, gitDir)
	out := []string{at, filepath.Join(gitDir, "commondir"), filepath.Join(gitDir, "info")}
	if common := strings.TrimSpace(string(readAt(filepath.Join(gitDir, "commondir")))); common != "" {
		out = append(out, filepath.Join(joinPath(gitDir, common), "info"))
	}
	return out
}
