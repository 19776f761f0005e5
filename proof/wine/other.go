//go:build !linux

package main

import (
	"context"
	"runtime"
)

func prepare(context.Context, config) error {
	return absent{"the chroot is made on Linux only, not on " + runtime.GOOS}
}

func (c config) exec(ctx context.Context) error { return prepare(ctx, c) }

const hostDir = ""

func (c config) shell(ctx context.Context, _ string) error { return prepare(ctx, c) }

func stopServer(config) {}
