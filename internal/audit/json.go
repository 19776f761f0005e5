package audit

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonObject is a JSON object under construction. It encodes as encoding/json does, but also escapes every character
// that could control a terminal which shows the log. encoding/json reflects on the types first; every process would
// wait for that, for the two records that it writes.
type jsonObject []byte

// body returns the line of r up to its hash.
func (r *Record) body() ([]byte, error) {
	o := jsonObject("{")
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
	o.nonZero("group", int64(r.Group))
	o.nonEmpty("tx", r.Tx)
	o.nonEmpty("idem", r.Idem)
	o.nonEmpty("request", r.Request)
	o.nonEmpty("dialect", r.Dialect)
	if r.Actor != (Actor{}) {
		o.nested("actor", func(o *jsonObject) { actorFields(o, r.Actor) })
	}
	o.nonEmpty("policyHash", r.PolicyHash)
	array(&o, "ops", r.Ops, Op.fields)
	array(&o, "acts", r.Acts, Act.fields)
	o.flag("ok", r.OK)
	o.nonEmpty("errorKind", r.ErrorKind)
	o.nonEmpty("message", r.Message)
	if r.Asked != nil {
		o.nested("asked", r.Asked.fields)
	}
	if s := r.Seen; s != nil {
		since, err := s.Since.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("a record for the log: %w", err)
		}
		o.nested("seen", func(o *jsonObject) { seenFields(o, s, since) })
	}
	if len(r.Undoes) > 0 {
		o.texts("undoes", r.Undoes)
	}
	array(&o, "parts", r.Parts, Part.fields)
	o.nonEmpty("void", r.Void)
	o.nonEmpty("since", r.Since)
	if d := r.Dropped; d != nil {
		until, err := d.Until.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("a record for the log: %w", err)
		}
		o.nested("dropped", func(o *jsonObject) { d.fields(o, until) })
	}
	return o, nil
}

func (d *Dropped) fields(o *jsonObject, until []byte) {
	o.key("from")
	*o = strconv.AppendInt(*o, int64(d.From), 10)
	o.key("to")
	*o = strconv.AppendInt(*o, int64(d.To), 10)
	o.key("first")
	*o = strconv.AppendUint(*o, d.First, 10)
	o.text("last", d.Last)
	o.key("until")
	*o = append(*o, until...)
	o.text("rule", d.Rule)
}

func actorFields(o *jsonObject, a Actor) {
	o.nonEmpty("client", a.Client)
	o.nonEmpty("session", a.Session)
	o.nonEmpty("agent", a.Agent)
	o.nonEmpty("tool", a.Tool)
	o.nonEmpty("call", a.Call)
	o.nonEmpty("turn", a.Turn)
}

func seenFields(o *jsonObject, s *Seen, since []byte) {
	o.key("since")
	*o = append(*o, since...)
	o.nonEmpty("command", s.Command)
	o.nonEmpty("result", s.Result)
	if len(s.Others) > 0 {
		o.texts("others", s.Others)
	}
}

func (a *Asked) fields(o *jsonObject) {
	o.text("by", a.By)
	o.texts("paths", a.Paths)
}

func (p Part) fields(o *jsonObject) {
	o.text("entry", p.Entry)
	o.text("path", p.Path)
	if len(p.Hunks) > 0 {
		o.key("hunks")
		*o = append(*o, '[')
		for i, n := range p.Hunks {
			if i > 0 {
				*o = append(*o, ',')
			}
			*o = strconv.AppendInt(*o, int64(n), 10)
		}
		*o = append(*o, ']')
	}
	o.nonZero("of", int64(p.Of))
	o.key("files")
	*o = strconv.AppendInt(*o, int64(p.Files), 10)
}

func (p Op) fields(o *jsonObject) {
	o.text("operation", p.Operation)
	o.text("path", p.Path)
	o.nonEmpty("toPath", p.ToPath)
	o.nonEmpty("beforeSha256", p.Before)
	o.nonEmpty("afterSha256", p.After)
	o.nonZero("mode", int64(p.Mode))
	o.nonZero("size", p.Size)
	o.nonZero("files", int64(p.Files))
	if len(p.Hunks) > 0 {
		o.key("hunks")
		*o = append(*o, '[')
		for i, h := range p.Hunks {
			if i > 0 {
				*o = append(*o, ',')
			}
			*o = appendQuoted(*o, h.String())
		}
		*o = append(*o, ']')
	}
	o.nonZero("hunksMore", int64(p.HunksMore))
	o.nonEmpty("unasked", p.Unasked)
	if len(p.Keys) > 0 {
		var all []string
		for _, k := range p.Keys {
			all = append(all, strconv.Itoa(k.Line)+" "+k.Kind)
		}
		o.texts("keys", all)
	}
	o.nonEmpty("noUndo", p.NoUndo)
}

func (a Act) fields(o *jsonObject) {
	o.text("do", string(a.Do))
	o.text("path", a.Path)
	o.nonEmpty("to", a.To)
	o.nonZero("slot", int64(a.Slot))
	if a.Old != nil {
		o.nested("old", a.Old.fields)
	}
	if a.New != nil {
		o.nested("new", a.New.fields)
	}
	o.nonEmpty("from", a.From)
	if a.Gone {
		o.flag("gone", true)
	}
	o.nonZero("mode", int64(a.Mode))
	o.nonEmpty("source", a.Source)
	if a.Empty {
		o.flag("empty", true)
	}
}

func (i *Ident) fields(o *jsonObject) {
	o.number("ino", i.Ino)
	o.nonEmpty("sha256", i.Sum)
	o.nonZero("size", i.Size)
	if i.Link {
		o.flag("link", true)
	}
	o.nonZero("mode", int64(i.Mode))
}

func (o *jsonObject) key(name string) {
	if (*o)[len(*o)-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(append(append(*o, '"'), name...), `":`...)
}

func (o *jsonObject) number(name string, n uint64) {
	o.key(name)
	*o = strconv.AppendUint(*o, n, 10)
}

// nonZero appends a number, and nothing for 0.
func (o *jsonObject) nonZero(name string, n int64) {
	if n != 0 {
		o.key(name)
		*o = strconv.AppendInt(*o, n, 10)
	}
}

func (o *jsonObject) flag(name string, is bool) {
	o.key(name)
	*o = strconv.AppendBool(*o, is)
}

func (o *jsonObject) text(name, s string) {
	o.key(name)
	*o = appendQuoted(*o, s)
}

// nonEmpty appends a string, and nothing for "".
func (o *jsonObject) nonEmpty(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *jsonObject) texts(name string, all []string) {
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
		*o = appendQuoted(*o, s)
	}
	*o = append(*o, ']')
}

func (o *jsonObject) nested(name string, fields func(*jsonObject)) {
	o.key(name)
	*o = append(*o, '{')
	fields(o)
	*o = append(*o, '}')
}

func array[T any](o *jsonObject, name string, all []T, fields func(T, *jsonObject)) {
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

// appendQuoted appends s, which is valid UTF-8, as a JSON string.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = appendControl(b, byte(r))
		case !mustEscape(r):
			b = utf8.AppendRune(b, r)
		default:
			for _, u := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04x`, u)
			}
		}
	}
	return append(b, '"')
}

func appendControl(b []byte, c byte) []byte {
	for i, short := range []byte("\b\f\n\r\t") {
		if c == short {
			return append(b, '\\', "bfnrt"[i])
		}
	}
	return fmt.Appendf(b, `\u%04x`, c)
}

func mustEscape(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
