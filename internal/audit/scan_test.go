package audit

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// scanned checks that whatever the scanner reads is what encoding/json reads.
func scanned(t *testing.T, line []byte) bool {
	t.Helper()
	r, ok := scanRecord(line)
	if !ok {
		return false
	}
	var want Record
	if err := json.Unmarshal(line, &want); err != nil || !reflect.DeepEqual(*r, want) {
		t.Fatalf("%q\n is read as %+v\n instead of %+v, %v", line, *r, want, err)
	}
	return true
}

// Records of every kind are read without encoding/json, and as it reads them; so are damaged lines, or they are left to it.
func TestScanIsJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	read, damaged := 0, 0
	const records = 3000
	for range records {
		var r Record
		set(rnd, reflect.ValueOf(&r).Elem())
		r.Group = max(0, r.Group)
		for i := range r.Parts {
			p := &r.Parts[i]
			for k := range p.Hunks {
				p.Hunks[k] = max(0, p.Hunks[k])
			}
			p.Of, p.Files = max(0, p.Of), max(0, p.Files)
		}
		r.V, r.Dropped = version, nil // drop records have another version, and are left to encoding/json
		line, err := encode(&r)
		if err != nil {
			continue
		}
		line = line[:len(line)-1]
		if scanned(t, line) {
			read++
		}
		for range 20 {
			bad := append([]byte{}, line...)
			switch i := rnd.IntN(len(bad)); rnd.IntN(3) {
			case 0:
				bad[i] = byte(rnd.IntN(256))
			case 1:
				bad = append(bad[:i], bad[i+1:]...)
			case 2:
				bad = append(bad[:i:i], append([]byte(`0"{[]},: \u`)[rnd.IntN(11):][:1:1], bad[i:]...)...)
			}
			if scanned(t, bad) {
				damaged++
			}
		}
	}
	// A number below 0 is left to encoding/json; no record of the log has one.
	if read < records/5 || damaged < records {
		t.Errorf("%d of %d records were read, and %d damaged lines", read, records, damaged)
	}
}

func FuzzScan(f *testing.F) {
	data, _ := text(f, 3)
	f.Add([]byte(data[:len(data)-1]))
	f.Fuzz(func(t *testing.T, line []byte) { scanned(t, line) })
}
