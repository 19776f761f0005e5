package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Characters that a terminal obeys are escaped, and read back as they were: a corrected hunk is sent as it was printed.
func TestTerminalSafeJSON(t *testing.T) {
	const text = "del \x7f, soft hyphen \u00ad, csi \u009b, mark \u202e, line \u2028, tag \U000e0041, \\u007f, é, 😀"
	var out bytes.Buffer
	if err := newEncoder(&out).Encode(text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x7f\u00ad\u009b\u202e\u2028\U000e0041") {
		t.Errorf("written as it is: %q", out.String())
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text {
		t.Errorf("%v: %q reads back as %q", err, out.String(), back)
	}
}
