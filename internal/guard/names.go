package guard

import (
	"slices"
	"strings"
)

// splitNames returns the names in path, without the empty ones and ".".
func splitNames(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

func endsInDots(path string) bool {
	last := path[strings.LastIndexByte(path, '/')+1:]
	return last == "." || last == ".."
}

func splitLast(names []string) (rest, last []string) {
	n := len(names) - 1
	return names[:n:n], names[n:]
}

// cleanNames removes "a/.." from names without looking at the disk. It returns nil for names that leave the root that way;
// the walk decides on those.
func cleanNames(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if name != ".." {
			out = append(out, name)
			continue
		}
		if len(out) == 0 {
			return nil
		}
		out = out[:len(out)-1]
	}
	return out
}
