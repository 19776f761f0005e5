package audit

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// object is an object of JSON in the making. It comes out as encoding/json would write it, with every character escaped that
// would control a terminal which shows the log. That package looks into the types first: each process would wait for it, for
// the two records that it writes.
type object []byte

// body is the line of r up to its hash.
func (r *Record) body() ([]byte, error) {
	o := object("{")
	o.number("v", uint64(r.V))
	o.number("seq", r.Seq)
	o.key("ts")
	ts, err := r.TS.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("a record for the log: %w", err)
	}
	o = append(o, ts...)
	o.text("prev", r.Prev)
	o.text("kind", string(r.Kind))
	o.some("tx", r.Tx)
	o.some("idem", r.Idem)
	o.some("request", r.Request)
	if r.Actor != (Actor{}) {
		o.within("actor", func(o *object) { actorFields(o, r.Actor) })
	}
	o.some("policyHash", r.PolicyHash)
	list(&o, "ops", r.Ops, Op.fields)
	list(&o, "acts", r.Acts, Act.fields)
	o.flag("ok", r.OK)
	o.some("errorKind", r.ErrorKind)
	o.some("message", r.Message)
	if r.Asked != nil {
		o.within("asked", r.Asked.fields)
	}
	if len(r.Undoes) > 0 {
		o.texts("undoes", r.Undoes)
	}
	o.some("void", r.Void)
	o.some("since", r.Since)
	return o, nil
}

func actorFields(o *object, a Actor) {
	o.some("client", a.Client)
	o.some("session", a.Session)
	o.some("agent", a.Agent)
	o.some("tool", a.Tool)
	o.some("call", a.Call)
}

func (a *Asked) fields(o *object) {
	o.text("by", a.By)
	o.texts("paths", a.Paths)
}

func (p Op) fields(o *object) {
	o.text("operation", p.Operation)
	o.text("path", p.Path)
	o.some("toPath", p.ToPath)
	o.some("beforeSha256", p.Before)
	o.some("afterSha256", p.After)
	o.count("mode", int64(p.Mode))
	o.count("size", p.Size)
	if len(p.Hunks) > 0 {
		o.key("hunks")
		*o = append(*o, '[')
		for i, h := range p.Hunks {
			if i > 0 {
				*o = append(*o, ',')
			}
			*o = quote(*o, h.String())
		}
		*o = append(*o, ']')
	}
	o.count("hunksMore", int64(p.HunksMore))
}

func (a Act) fields(o *object) {
	o.text("do", a.Do)
	o.text("path", a.Path)
	o.some("to", a.To)
	o.count("slot", int64(a.Slot))
	if a.Old != nil {
		o.within("old", a.Old.fields)
	}
	if a.New != nil {
		o.within("new", a.New.fields)
	}
	o.some("from", a.From)
	if a.Gone {
		o.flag("gone", true)
	}
	o.count("mode", int64(a.Mode))
}

func (i *Ident) fields(o *object) {
	o.number("ino", i.Ino)
	o.some("sha256", i.Sum)
	o.count("size", i.Size)
	if i.Link {
		o.flag("link", true)
	}
	o.count("mode", int64(i.Mode))
}

func (o *object) key(name string) {
	if (*o)[len(*o)-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(append(append(*o, '"'), name...), `":`...)
}

func (o *object) number(name string, n uint64) {
	o.key(name)
	*o = strconv.AppendUint(*o, n, 10)
}

// count is number, and leaves out nothing at all.
func (o *object) count(name string, n int64) {
	if n != 0 {
		o.key(name)
		*o = strconv.AppendInt(*o, n, 10)
	}
}

func (o *object) flag(name string, is bool) {
	o.key(name)
	*o = strconv.AppendBool(*o, is)
}

func (o *object) text(name, s string) {
	o.key(name)
	*o = quote(*o, s)
}

// some is text, and leaves out what is empty.
func (o *object) some(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *object) texts(name string, all []string) {
	o.key(name)
	if all == nil {
		*o = append(*o, "null"...)
		return
	}
	*o = append(*o, '[')
	for i, s := range all {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = quote(*o, s)
	}
	*o = append(*o, ']')
}

func (o *object) within(name string, fields func(*object)) {
	o.key(name)
	*o = append(*o, '{')
	fields(o)
	*o = append(*o, '}')
}

func list[T any](o *object, name string, all []T, fields func(T, *object)) {
	if len(all) == 0 {
		return
	}
	o.key(name)
	*o = append(*o, '[')
	for i, one := range all {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		fields(one, o)
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

// quote appends s, which is valid UTF-8, as a string.
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = control(b, byte(r))
		case !hidden(r):
			b = utf8.AppendRune(b, r)
		default:
			for _, u := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04x`, u)
			}
		}
	}
	return append(b, '"')
}

func control(b []byte, c byte) []byte {
	for i, short := range []byte("\b\f\n\r\t") {
		if c == short {
			return append(b, '\\', "bfnrt"[i])
		}
	}
	return fmt.Appendf(b, `\u%04x`, c)
}

func hidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
