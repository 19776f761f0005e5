package audit

import (
	"bytes"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestParseHeader compares the header with the whole record, for each kind, and demands that a line written in any other way is
// not guessed at.
func TestParseHeader(t *testing.T) {
	for _, kind := range []Kind{Commit, Undo, Applied, Abort, Recovered, Denied, Failed, Purge, Rotate} {
		for _, prev := range []string{"", hash(nil)} {
			r := sample(1)
			r.V, r.Seq, r.TS, r.Prev, r.Kind = version, 1<<63, time.Now().UTC(), prev, kind
			text, err := encode(&r)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.TrimSuffix(text, []byte{'\n'})
			whole, err := decode(text)
			if err != nil {
				t.Fatal(err)
			}
			body, _, _ := splitHash(text)
			first, ok := parseHeader(body)
			if !ok || first.V != whole.V || first.Seq != whole.Seq || first.Prev != whole.Prev || first.Kind != whole.Kind {
				t.Errorf("%s: %+v (%v) is the header of %s", kind, first, ok, text)
			}
			for _, other := range []string{
				string(bytes.Replace(body, []byte(`"v":1`), []byte(`"v":2`), 1)),
				string(bytes.Replace(body, []byte(`"seq":`), []byte(`"seq": `), 1)),
				string(bytes.Replace(body, []byte(`"seq":9223372036854775808`), []byte(`"seq":0`), 1)),
				string(bytes.Replace(body, []byte(kind), []byte("other"), 1)),
				string(bytes.Replace(body, []byte(`"prev":"`), []byte(`"prev":"0`), 1)),
				" " + string(body), string(body[:20]),
			} {
				if r, ok := parseHeader([]byte(other)); ok {
					t.Errorf("%s has the header %+v", other, r)
				}
			}
		}
	}
}

// TestPendingReadsNothing checks that Pending reads no file if the end of the log shows that nothing is pending.
func TestPendingReadsNothing(t *testing.T) {
	m := vfstest.NewDisk(vfstest.Journal)
	fault := &vfstest.Fault{At: -1, Reads: true}
	l := newLog(t, fault.Wrap(m.Root()), Options{})
	pending := func(want string) (calls int) {
		t.Helper()
		before := fault.Calls()
		r, err := l.Pending()
		if err != nil || txs(r) != want {
			t.Fatalf("pending: %+v, %v; want %q", r, err, want)
		}
		return fault.Calls() - before
	}
	for _, again := range []bool{false, true} {
		for _, step := range []struct {
			kind Kind
			want string
		}{{Commit, "a"}, {Failed, "a"}, {Applied, ""}, {Denied, ""}, {Undo, "a"}, {Abort, ""}, {Purge, ""}} {
			add1(t, l, Record{Kind: step.kind, Tx: "a"})
			if again {
				if err := l.Reopen(); err != nil {
					t.Fatal(err)
				}
			}
			if calls := pending(step.want); calls > 0 && step.want == "" {
				t.Errorf("after %s, read again %v: %d calls", step.kind, again, calls)
			}
		}
	}
}
