package gitobjects

import (
	"path/filepath"
	"strings"
)

// Branch returns the branch that is checked out in the work tree with dir as its top, or the beginning of the commit's name
// if none is. It returns "" where there is no repository that it can read.
func Branch(dir string) string {
	git, err := gitDir(filepath.Join(dir, ".git"))
	if err != nil {
		return ""
	}
	head, err := readSmall(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	head = strings.TrimSpace(head)
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		return strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/")
	}
	const short = 9
	if len(head) < 40 || strings.Trim(head, "0123456789abcdef") != "" {
		return ""
	}
	return head[:short]
}
