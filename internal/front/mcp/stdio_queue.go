package mcp

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// callQueue holds the calls in hand: those that run, and those that wait, first come first served.
type callQueue struct {
	calls     map[jsonrpc.ID]*call // not answered yet
	queue     []*call
	running   int // handed out, with their answers not written yet
	answering int // of those, the ones whose answer is being written
	bytes     int // of all messages in hand
}

type call struct {
	msg       *jsonrpc.Request
	size      int
	running   bool
	cancelled bool
}

// full reports whether a message of that size exceeds the limits.
func (q *callQueue) full(size int) bool {
	return len(q.queue) >= maxQueued || q.bytes+size > maxQueueBytes
}

func (q *callQueue) add(m *jsonrpc.Request, size int) {
	c := &call{msg: m, size: size}
	q.calls[m.ID] = c
	q.queue = append(q.queue, c)
	q.bytes += size
}

// next returns the call that may run next, or nil.
func (q *callQueue) next() jsonrpc.Message {
	for len(q.queue) > 0 && (q.running < maxRunning || q.queue[0].cancelled) {
		c := q.queue[0]
		q.queue[0], q.queue = nil, q.queue[1:]
		if !c.cancelled {
			c.running = true
			q.running++
			return c.msg
		}
	}
	return nil
}

// cancel marks a call so that it is not answered, and reports whether it runs already.
func (q *callQueue) cancel(id jsonrpc.ID) bool {
	c := q.calls[id]
	if c == nil {
		return false
	}
	c.cancelled = true
	if !c.running {
		delete(q.calls, id)
		q.bytes -= c.size
		c.msg = nil
	}
	return c.running
}

// removeQueued removes all calls that do not run and returns their ids.
func (q *callQueue) removeQueued() []jsonrpc.ID {
	var out []jsonrpc.ID
	for _, c := range q.queue {
		if !c.cancelled {
			out = append(out, c.msg.ID)
			delete(q.calls, c.msg.ID)
			q.bytes -= c.size
		}
	}
	q.queue = nil
	return out
}

// beginAnswer returns the call whose answer is ready. From here on the client may use its id again.
func (q *callQueue) beginAnswer(id jsonrpc.ID) *call {
	c := q.calls[id]
	if c != nil {
		delete(q.calls, id)
		q.answering++
	}
	return c
}

// endAnswer removes a call whose answer is written.
func (q *callQueue) endAnswer(c *call) {
	if c != nil {
		q.running--
		q.answering--
		q.bytes -= c.size
	}
}

// idle reports whether all calls are answered.
func (q *callQueue) idle() bool { return len(q.calls) == 0 && q.running == 0 }

// working reports whether a call runs that has no result yet.
func (q *callQueue) working() bool { return q.running > q.answering }
