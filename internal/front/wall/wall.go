// Package wall confines this process, if the kernel can: after [Up] it reads and writes files below the directories
// that it was given and nowhere else, starts no program, and calls nobody over the network, whatever goes wrong in it.
// How much of that the kernel does depends on its version of Landlock: [Scope] says it.
//
// It does not replace the guard, which judges every path. It is the second line of defence. Files and ports that were
// open before stay open.
package wall
