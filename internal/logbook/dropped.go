package logbook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
)

// MayBeDropped adds to an error that says that the log does not have something where the log begins, if segments were
// dropped.
func MayBeDropped(log *audit.Log, err error) error {
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || e.Kind != fail.NotFound || log == nil {
		return err
	}
	first, failed := log.First()
	if failed != nil || first == nil || first.Seq == 1 {
		return err
	}
	more := *e
	more.Hint = strings.TrimSpace(fmt.Sprintf("%s The log begins with record %d, of %s; what is older was dropped, and can neither be shown nor undone.",
		e.Hint, first.Seq, first.TS.Format("2006-01-02")))
	return &more
}
