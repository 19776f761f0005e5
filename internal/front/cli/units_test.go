package cli

import "testing"

func TestFormatColumnSize(t *testing.T) {
	tests := map[int64]string{0: "0", 999: "999", 1023: "1023", 1024: "1.0 KiB", 1536: "1.5 KiB", 10 << 10: "10 KiB", 1<<20 - 1: "1.0 MiB",
		1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 62: "4.0 EiB", 1<<63 - 1: "8.0 EiB"}
	for n, want := range tests {
		if got := formatColumnSize(n); got != want {
			t.Errorf("inUnits(%d) = %q, want %q", n, got, want)
		}
	}
}
