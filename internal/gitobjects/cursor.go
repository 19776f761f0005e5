package gitobjects

// cursor reads a text from its beginning. Behind the end it reads zeros and sets bad.
type cursor struct {
	text string
	at   int
	bad  bool
}

// rest returns what is not read yet.
func (c *cursor) rest() string { return c.text[c.at:] }

func (c *cursor) take(n int) string {
	if n < 0 || n > len(c.text)-c.at {
		c.at, c.bad = len(c.text), true
		return ""
	}
	c.at += n
	return c.text[c.at-n : c.at]
}

func (c *cursor) byte() byte {
	if s := c.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (c *cursor) uint16() uint16 { return uint16(c.byte())<<8 | uint16(c.byte()) }

func (c *cursor) uint32() uint32 {
	if s := c.take(4); s != "" {
		return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
	}
	return 0
}

func (c *cursor) uint64() uint64 { return uint64(c.uint32())<<32 | uint64(c.uint32()) }

// offset reads a number as git writes the distance to a base, the highest seven bits first.
func (c *cursor) offset() int64 {
	b := c.byte()
	n := int64(b & 0x7f)
	for b&0x80 != 0 {
		if n >= 1<<55 {
			c.bad = true
			return 0
		}
		b = c.byte()
		n = (n+1)<<7 | int64(b&0x7f)
	}
	return n
}

// size reads a number as git writes sizes, the lowest seven bits first, after bits that are known already.
func (c *cursor) size(n int64, shift uint) int64 {
	for {
		b := c.byte()
		if shift > 56 {
			c.bad = true
			return 0
		}
		n |= int64(b&0x7f) << shift
		if shift += 7; b&0x80 == 0 {
			return n
		}
	}
}
