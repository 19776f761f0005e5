//go:build !linux || !amd64

package sweep

// Trace needs Linux on amd64: the registers of other processors are not known here.
func Trace(Command, ...Fault) (Result, error) { return Result{}, ErrNotHere }
