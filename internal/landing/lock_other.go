//go:build !linux && !darwin

package landing

import (
	"errors"
	"os"
)

// lock is for systems that have layers.
func lock(string, lockMode) (*os.File, error) { return nil, errors.ErrUnsupported }
