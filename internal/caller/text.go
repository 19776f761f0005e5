package caller

import (
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

// Clean makes a path, as a caller wrote it, fit for the log.
func Clean(p string) string { return strings.ToValidUTF8(report.Shorten(p), "\uFFFD") }
