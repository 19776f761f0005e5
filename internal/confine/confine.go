// Package confine keeps a command from writing files outside of given directories, if the kernel can: with Landlock, which holds for the
// command and for all that it starts.
//
// It is about files that are opened, made, renamed or removed by their names. It does not keep anybody from reading, from changing
// permissions, owners and times, from writing through what is open already, from asking another process to write, or from the network.
package confine

// Unsupported is the error where the kernel cannot confine a command as promised.
type Unsupported struct{ Reason string }

func (u *Unsupported) Error() string { return "the command cannot be confined: " + u.Reason }
