package report

import "testing"

func TestFilesInside(t *testing.T) {
	for _, tc := range []struct {
		n     int
		bytes int64
		want  string
	}{
		{1, 0, "1 file, 0 bytes"}, {2, 999, "2 files, 999 bytes"}, {999, 1000, "999 files, 1.0 kB"}, {1000, 9949, "1,000 files, 9.9 kB"},
		{41234, 310_000_000, "41,234 files, 310 MB"}, {1_000_001, 999_600, "1,000,001 files, 1.0 MB"}, {3, 5 << 50, "3 files, 5629 TB"},
	} {
		if got := FilesInside(tc.n, tc.bytes); got != tc.want {
			t.Errorf("%d, %d: %q, want %q", tc.n, tc.bytes, got, tc.want)
		}
	}
}
