package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// windowsPath returns a path that a caller on Windows wrote, with slashes, or refuses it. Separators of both kinds are separators.
// An absolute path begins with a drive, or with the network share that volume, the one of the root, is on: to look at any other share
// would send the name of the account to whoever runs the server.
func windowsPath(path, volume string) (string, error) {
	slashed := strings.ReplaceAll(path, `\`, "/")
	switch {
	case hasAnyPrefix(slashed, "//?/", "//./", "/??/"):
		return "", refuseArgument(path, "the path begins like that of a device: "+fail.Quote(path), "Write it from the workspace down, or with its drive.")
	case strings.HasPrefix(slashed, "//"):
		share := strings.ReplaceAll(volume, `\`, "/")
		if !strings.HasPrefix(share, "//") || len(slashed) < len(share) || !strings.EqualFold(slashed[:len(share)], share) {
			return "", refuseOutside(path, fmt.Sprintf("%s is on a network share that is not the workspace's", fail.Quote(path)))
		}
	case hasDrive(slashed) && !strings.HasPrefix(slashed[2:], "/"):
		return "", refuseArgument(path, "the path has a drive and no slash behind it: "+fail.Quote(path), "Write it from the workspace down, or with the slash.")
	}
	return slashed, nil
}

// checkWindowsNames refuses names that Windows reads as something else. The kernel, which is asked without Windows in between, does not,
// so such a file could be made and found by few programs.
func checkWindowsNames(path string, names []string) error {
	for _, name := range names {
		if why := vfs.BadWindowsName(name); why != "" {
			return refuseArgument(path, why+": "+fail.Quote(path), "Name the file as its directory lists it, or use another name.")
		}
	}
	return nil
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// hasDrive reports whether a path begins with a letter and a colon.
func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

// sameVolume reports whether two paths of Windows begin with the same drive or network share.
func sameVolume(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, `\`, "/"), strings.ReplaceAll(b, `\`, "/"))
}
