//go:build !linux || !(amd64 || arm64)

package overlay

import (
	"context"
	"errors"
)

// Supervise does nothing on this system.
func Supervise() {}

// Run refuses: this system has no overlays.
func Run(context.Context, Options) (*Layer, error) {
	return nil, &Unsupported{Reason: "this needs Linux on amd64 or arm64"}
}

// Probe refuses as Run does.
func Probe(Options) error {
	_, err := Run(context.Background(), Options{})
	return err
}

// LayerOf finds no layer on this system.
func LayerOf(string) string { return "" }

// AppArmor reports false on this system.
func AppArmor() bool { return false }

// Open finds no layer on this system.
func Open(string) (*Layer, error) { return nil, ErrNoLayer }

// Changes is for Linux only.
func (l *Layer) Changes() ([]Change, error) { return nil, errors.ErrUnsupported }

// ChangesWhole is for Linux only.
func (l *Layer) ChangesWhole(func(string) bool) ([]Change, error) { return nil, errors.ErrUnsupported }

// Moved is for Linux only.
func (l *Layer) Moved([]Change) ([]Moved, error) { return nil, errors.ErrUnsupported }

// OldSum is for Linux only.
func (l *Layer) OldSum(Change) (string, error) { return "", errors.ErrUnsupported }

// NewSum is for Linux only.
func (l *Layer) NewSum(Change) (string, error) { return "", errors.ErrUnsupported }

// Unmark is for Linux only.
func (l *Layer) Unmark([]Change) error { return errors.ErrUnsupported }

// Keep is for Linux only.
func (l *Layer) Keep() error { return errors.ErrUnsupported }

// Discard is for Linux only.
func (l *Layer) Discard() error { return errors.ErrUnsupported }

func bootID() string { return "" }
