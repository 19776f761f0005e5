package vfs

import (
	"slices"
	"strings"
)

// BadWindowsName says why a file of this name cannot be made on Windows so that every program finds it; "" if it can. Such a name
// means something else there: the name of a device, the name without its end, a stream of another file, or a pattern.
func BadWindowsName(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*`, r) }); i >= 0 {
		return "Windows has no file names with " + quoteRune([]rune(name[i:])[0])
	}
	if last := name[len(name)-1:]; last == "." || last == " " {
		return "Windows drops dots and spaces at the end of a file name"
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains(deviceNames, base) {
		return base + " is the name of a device on Windows"
	}
	return ""
}

// deviceNames are taken in every directory, with any extension.
var deviceNames = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³"}

func quoteRune(r rune) string {
	if r < ' ' {
		return "control characters"
	}
	return string(r)
}
