package out

import (
	"context"
	"encoding/json"
	"io"
)

// Lines writes the events behind a position to w, a line of JSON each. With follow it goes on with those that come, until ctx ends.
func Lines(ctx context.Context, s *Source, after uint64, follow bool, w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return s.Read(ctx, after, follow, func(ev *Event) error { return e.Encode(ev) }, nil)
}
