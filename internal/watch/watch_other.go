//go:build !linux

package watch

import "errors"

// Watch is not there on this system.
type Watch struct{}

// New fails: on this system nothing is heard.
func New(far ...string) (*Watch, error) { return nil, errors.ErrUnsupported }

func (*Watch) Close() error { return nil }

func (*Watch) Deafen() {}

func (*Watch) Most(n int) {}

func (*Watch) Full() bool { return false }

func (*Watch) Changed() (dirs map[string]bool, ok bool) { return nil, false }
