package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emend-dev/emend/hub/wire"
)

// lookAtDisk is the interval at which the free space of the disk is checked.
const lookAtDisk = time.Second

// Guard refuses records and extras while less than reserve bytes are free on the disk of an embedded server, and takes them again when there is space. A
// server that runs out of space stops storing until it is started again, and may be in the middle of something. Guard returns when ctx ends, or with an
// error when the server stopped storing all the same.
func (b *Broker) Guard(ctx context.Context, reserve int64) error {
	if b.srv == nil {
		return nil // the cluster's servers have disks of their own
	}
	closed := false
	tick := time.NewTicker(lookAtDisk)
	defer tick.Stop()
	for {
		if !b.srv.JetStreamEnabled() {
			return errors.New("the disk is full, and the NATS server stopped storing: make space and start the hub again; workspaces keep their records until then")
		}
		free, err := freeBytes(b.o.Dir)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		full := err == nil && free < reserve
		if full != closed {
			if err := b.shut(ctx, full); err != nil {
				b.o.Log.Error("the streams could not be changed", "error", err)
			} else if closed = full; full {
				b.o.Log.Error("the disk is almost full: records are refused until there is space", "free", free, "reserve", reserve)
			} else {
				b.o.Log.Warn("there is space on the disk again: records are taken", "free", free)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// shut makes the streams take nothing more, or as much as they did before.
func (b *Broker) shut(ctx context.Context, on bool) error {
	for _, name := range []string{wire.Records, wire.Extras} {
		s, err := b.js.Stream(ctx, name)
		if err != nil {
			return err
		}
		c := s.CachedInfo().Config
		if c.MaxBytes = -1; b.o.MaxBytes > 0 {
			c.MaxBytes = b.o.MaxBytes
		}
		if on {
			c.MaxBytes = int64(max(s.CachedInfo().State.Bytes, 1)) // what is there stays: new messages are refused
		}
		if _, err := b.js.UpdateStream(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
