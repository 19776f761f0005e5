package mcp

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// desk is the calls in hand: those that wait, first come first served, and those that are worked on.
type desk struct {
	calls     map[jsonrpc.ID]*call // that are not answered
	queue     []*call
	running   int // handed out, and their answers not written yet
	answering int // of those: at their answers
	held      int // bytes
}

type call struct {
	msg       *jsonrpc.Request
	size      int
	running   bool
	cancelled bool
}

// full reports whether a message of a size is too much.
func (d *desk) full(size int) bool { return len(d.queue) >= maxWaiting || d.held+size > maxHeld }

func (d *desk) add(m *jsonrpc.Request, size int) {
	c := &call{msg: m, size: size}
	d.calls[m.ID] = c
	d.queue = append(d.queue, c)
	d.held += size
}

// due is the call whose turn it is, nil for none.
func (d *desk) due() jsonrpc.Message {
	for len(d.queue) > 0 && (d.running < maxRunning || d.queue[0].cancelled) {
		c := d.queue[0]
		d.queue[0], d.queue = nil, d.queue[1:]
		if !c.cancelled {
			c.running = true
			d.running++
			return c.msg
		}
	}
	return nil
}

// cancel has a call go unanswered, and reports whether it is worked on already.
func (d *desk) cancel(id jsonrpc.ID) bool {
	c := d.calls[id]
	if c == nil {
		return false
	}
	c.cancelled = true
	if !c.running {
		delete(d.calls, id)
		d.held -= c.size
		c.msg = nil
	}
	return c.running
}

// waiting takes all calls that have not begun.
func (d *desk) waiting() []jsonrpc.ID {
	var out []jsonrpc.ID
	for _, c := range d.queue {
		if !c.cancelled {
			out = append(out, c.msg.ID)
			delete(d.calls, c.msg.ID)
			d.held -= c.size
		}
	}
	d.queue = nil
	return out
}

// answer takes a call whose answer is there. From here on its id may be used again.
func (d *desk) answer(id jsonrpc.ID) *call {
	c := d.calls[id]
	if c != nil {
		delete(d.calls, id)
		d.answering++
	}
	return c
}

// answered ends a call whose answer is written.
func (d *desk) answered(c *call) {
	if c != nil {
		d.running--
		d.answering--
		d.held -= c.size
	}
}

// idle reports whether all is answered.
func (d *desk) idle() bool { return len(d.calls) == 0 && d.running == 0 }

// working reports whether a call has begun whose answer is not there.
func (d *desk) working() bool { return d.running > d.answering }
