package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/emend-dev/emend/fail"
)

// The reader returns all bytes and the error of the reader below, and ends when it is interrupted.
func TestInterruptibleReader(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 50_000)
	got, err := io.ReadAll(&interruptibleReader{interrupted: t.Context().Done(), r: bytes.NewReader(want)})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	boom := errors.New("boom")
	if _, err := io.ReadAll(&interruptibleReader{interrupted: t.Context().Done(), r: iotest.ErrReader(boom)}); err != boom {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	never, hold := io.Pipe()
	defer hold.Close()
	cancel()
	if _, err := io.ReadAll(&interruptibleReader{interrupted: ctx.Done(), r: never}); !errors.Is(err, fail.CommandFailed) {
		t.Error(err)
	}
}
