// Package wall confines this process, if the kernel can: after [Up] it reads and writes files below the directories
// that it was given and nowhere else, whatever goes wrong in it.
//
// It does not replace the guard, which judges every path. It is the second line of defence. Files that were open
// before stay open, and the network is not restricted.
package wall
