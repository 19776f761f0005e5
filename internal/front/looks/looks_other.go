//go:build !linux

package looks

import "context"

// Serve does nothing: on this system nothing is heard between two looks.
func Serve(context.Context, string, Look) {}

// Ask finds nobody.
func Ask(context.Context, string, Request) error { return ErrNobody }
