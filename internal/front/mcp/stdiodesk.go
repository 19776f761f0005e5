package mcp

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// desk is the calls in hand: those that wait, first come first served, and those that are worked on.
type callQueue struct {
	calls     map[jsonrpc.ID]*call // that are not answered
	queue     []*call
	running   int // handed out, and their answers not written yet
	answering int // of those: at their answers
	bytes      int // bytes
}

type call struct {
	msg       *jsonrpc.Request
	size      int
	running   bool
	cancelled bool
}

// full reports whether a message of a size is too much.
func (d *callQueue) full(size int) bool { return len(d.queue) >= maxQueued || d.bytes+size > maxQueueBytes }

func (d *callQueue) add(m *jsonrpc.Request, size int) {
	c := &call{msg: m, size: size}
	d.calls[m.ID] = c
	d.queue = append(d.queue, c)
	d.bytes += size
}

// due is the call whose turn it is, nil for none.
func (d *callQueue) next() jsonrpc.Message {
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
func (d *callQueue) cancel(id jsonrpc.ID) bool {
	c := d.calls[id]
	if c == nil {
		return false
	}
	c.cancelled = true
	if !c.running {
		delete(d.calls, id)
		d.bytes -= c.size
		c.msg = nil
	}
	return c.running
}

// waiting takes all calls that have not begun.
func (d *callQueue) removeQueued() []jsonrpc.ID {
	var out []jsonrpc.ID
	for _, c := range d.queue {
		if !c.cancelled {
			out = append(out, c.msg.ID)
			delete(d.calls, c.msg.ID)
			d.bytes -= c.size
		}
	}
	d.queue = nil
	return out
}

// answer takes a call whose answer is there. From here on its id may be used again.
func (d *callQueue) beginAnswer(id jsonrpc.ID) *call {
	c := d.calls[id]
	if c != nil {
		delete(d.calls, id)
		d.answering++
	}
	return c
}

// answered ends a call whose answer is written.
func (d *callQueue) endAnswer(c *call) {
	if c != nil {
		d.running--
		d.answering--
		d.bytes -= c.size
	}
}

// idle reports whether all is answered.
func (d *callQueue) idle() bool { return len(d.calls) == 0 && d.running == 0 }

// working reports whether a call has begun whose answer is not there.
func (d *callQueue) working() bool { return d.running > d.answering }
