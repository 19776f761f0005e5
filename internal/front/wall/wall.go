// Package wall shuts this process in, where the kernel can: after [Up] it reads and writes files below the directories that
// it was given, and nowhere else, whatever goes wrong in it. It is no substitute for the guard, which judges every path; it
// is what stands behind it. What was open before stays open, and the network is not touched.
package wall
