package audit

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
)

// standard is the body of r by encoding/json.
func standard(t testing.TB, r *Record) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), hashPrefix+hashSuffix+"\n")
}

// TestLineIsJSON checks that a line equals what encoding/json makes of the record, whatever its fields have.
func TestLineIsJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for range 2000 {
		var r Record
		set(rnd, reflect.ValueOf(&r).Elem())
		r.V, r.H = version, ""
		got, err := r.body()
		if want := standard(t, &r); err != nil || string(got) != want {
			t.Fatalf("%+v:\n%s\n%s, %v", r, got, want, err)
		}
		for _, key := range []string{"idem", "request", "actor", "call", "policyHash", "ops", "toPath", "acts", "slot", "old", "new", "ino", "link",
			"gone", "asked", "paths", "undoes", "void", "since", "dropped", "until", "hunks", "hunksMore", "parts", "entry", "of"} {
			seen[key] = seen[key] || bytes.Contains(got, []byte(`"`+key+`":`))
		}
	}
	for key, is := range seen {
		if !is {
			t.Errorf("no record had %s", key)
		}
	}
	if _, err := (&Record{TS: time.Unix(1<<40, 0)}).body(); err == nil {
		t.Error("a time was written that nobody reads")
	}
}

// set gives v, and what is in it, some value or none.
func set(rnd *rand.Rand, v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(rnd.Int64N(1<<33), rnd.Int64N(1e9)).UTC()))
		return
	}
	if rnd.IntN(3) == 0 && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			set(rnd, field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(rnd, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rnd.IntN(4), 4))
		for i := range v.Len() {
			set(rnd, v.Index(i))
		}
	case reflect.String:
		v.SetString([]string{"x", "a/b.go", `"\`, "\b\f\n\r\t\x00\x1f", "<&>é漢\U0001f600"}[rnd.IntN(5)])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(rnd.Uint64N(1 << 32))
	case reflect.Int, reflect.Int64:
		v.SetInt(rnd.Int64N(1<<33) - 1<<32)
	default:
		panic("a field of a kind that no line has: " + v.Kind().String())
	}
}

// TestQuoteEveryCharacter checks that quoted text decodes to the original, and contains nothing that a terminal obeys.
func TestQuoteEveryCharacter(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if 0xd800 <= r && r < 0xe000 {
			continue // no characters
		}
		b := appendQuoted(nil, string(r))
		var back string
		if err := json.Unmarshal(b, &back); err != nil || back != string(r) {
			t.Fatalf("%U: %s reads as %q, %v", r, b, back, err)
		}
		if i := bytes.IndexFunc(b, func(c rune) bool { return c < ' ' || mustEscape(c) }); i >= 0 {
			t.Fatalf("%U: %q", r, b)
		}
	}
}
