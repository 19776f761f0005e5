package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// hostile is what a client over standard input and output should not send, and what it gets for it.
type hostile struct {
	name string
	send string
	id   string // of the answer; empty for an answer without an id
	code int    // of its error; 0 for none: a result
	says string // in the error, or in the result
	mute bool   // there is no answer
}

const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

func hostiles() []hostile {
	long := strings.Repeat("x", 100<<20)
	call := func(id, args string) string { return calling(id, "read_file", args) }
	return []hostile{
		{name: "no JSON", send: "what?\n", code: parseError, says: "at byte 1"},
		{name: "half a message", send: `{"jsonrpc":"2.0","id":7,"method":` + "\n", id: "7", code: parseError, says: "not JSON"},
		{name: "a header of another protocol", send: "Content-Length: 52\r\n\r\n", code: parseError, says: "one JSON-RPC message a line"},
		{name: "NUL bytes", send: "\x00\x00\x00\n", code: parseError, says: "not JSON"},
		{name: "NUL in a message", send: `{"jsonrpc":"2.0","id":8,"method":"ping"` + "\x00}\n", id: "8", code: parseError, says: "not JSON"},
		{name: "a byte order mark", send: "\ufeff" + `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n", code: parseError, says: "not JSON"},
		{name: "invalid UTF-8", send: `{"jsonrpc":"2.0","id":10,"method":"ping","params":{"a":"` + "\xff" + `"}}` + "\n", id: "10", code: parseError, says: "UTF-8 at byte 56"},
		{name: "UTF-16", send: "{\x00\"\x00i\x00d\x00\"\x00:\x001\x00}\x00\n", code: parseError, says: "not JSON"},
		{name: "two messages in a line", send: `{"jsonrpc":"2.0","id":11,"method":"ping"}{"jsonrpc":"2.0","id":12,"method":"ping"}` + "\n", id: "11", code: parseError},
		{name: "a batch", send: `[{"jsonrpc":"2.0","id":13,"method":"ping"}]` + "\n", code: invalidRequest, says: "batch"},
		{name: "an empty batch", send: "[]\n", code: invalidRequest, says: "batch"},
		{name: "a number", send: "42\n", code: invalidRequest, says: "no object"},
		{name: "null", send: "null\n", code: invalidRequest, says: "no object"},
		{name: "an empty object", send: "{}\n", code: invalidRequest, says: "no method"},
		{name: "no version", send: `{"id":14,"method":"ping"}` + "\n", id: "14", code: invalidRequest, says: "jsonrpc"},
		{name: "another version", send: `{"jsonrpc":"1.0","id":15,"method":"ping"}` + "\n", id: "15", code: invalidRequest, says: "jsonrpc"},
		{name: "names in capitals", send: `{"JSONRPC":"2.0","ID":16,"METHOD":"ping"}` + "\n", code: invalidRequest, says: "no method"},
		{name: "a method that is a number", send: `{"jsonrpc":"2.0","id":17,"method":5}` + "\n", id: "17", code: invalidRequest, says: "string"},
		{name: "an id that is null", send: `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", code: invalidRequest, says: "id is null"},
		{name: "an id with a fraction", send: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", code: invalidRequest, says: "id is 1.5"},
		{name: "an id that would be rounded", send: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n", code: invalidRequest, says: "integer"},
		{name: "an id that is an object", send: `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", code: invalidRequest, says: "integer"},
		{name: "an id of a megabyte", send: `{"jsonrpc":"2.0","id":"` + long[:1<<20] + `","method":"ping"}` + "\n", code: invalidRequest, says: "1024 bytes"},
		{name: "an answer to nothing", send: `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n", mute: true},
		{name: "an error about nothing", send: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}` + "\n", mute: true},
		{name: "empty lines", send: "\n\r\n \t\n", mute: true},
		{name: "an unknown notification", send: `{"jsonrpc":"2.0","method":"notifications/x","params":[1]}` + "\n", mute: true},
		{name: "a cancellation of nothing", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}` + "\n", mute: true},
		{name: "a cancellation that makes no sense", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}` + "\n", mute: true},
		{name: "a call without an id", send: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_file","arguments":{"path":"a.txt"}}}` + "\n", mute: true},
		{name: "an unknown method", send: `{"jsonrpc":"2.0","id":18,"method":"tools/steal"}` + "\n", id: "18", code: unknownMethod, says: "tools/steal"},
		{name: "a hello that comes twice", send: strings.Replace(hello, `"hello"`, "19", 1), id: "19", code: invalidRequest, says: "duplicate"},
		{name: "an unknown tool", send: calling("20", "format_disk", "{}"), id: "20", code: invalidParams, says: "format_disk"},
		{name: "a call without parameters", send: `{"jsonrpc":"2.0","id":21,"method":"tools/call"}` + "\n", id: "21", code: invalidRequest, says: "params"},
		{name: "parameters that are a list", send: `{"jsonrpc":"2.0","id":22,"method":"tools/call","params":[]}` + "\n", id: "22", code: invalidParams},
		{name: "megabytes of parameters of a wrong type", send: `{"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":["` + long[:4<<20] + `"]}}` + "\n",
			id: "23", code: invalidParams, says: "…"},
		{name: "a token of progress that is an object", send: `{"jsonrpc":"2.0","id":24,"method":"tools/call","params":{"_meta":{"progressToken":{}},"name":"read_file","arguments":{"path":"a.txt"}}}` + "\n",
			id: "24", says: "hello"},
		{name: "arguments that are no object", send: call("25", `"a.txt"`), id: "25", says: "isError"},
		{name: "arguments with a name twice", send: call("26", `{"path":"a.txt","path":"b.txt"}`), id: "26", says: "twice"},
		{name: "arguments 17 levels deep", send: call("27", `{"path":`+strings.Repeat("[", 17)+strings.Repeat("]", 17)+`}`), id: "27", says: "levels deep"},
		{name: "arguments 5,000 levels deep", send: call("28", `{"path":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`), id: "28", code: invalidParams, says: "depth"},
		{name: "a message 100,000 levels deep", send: `{"jsonrpc":"2.0","id":29,"method":"ping","params":` + strings.Repeat(`{"a":`, 100_000) + "\n", id: "29", code: parseError, says: "depth"},
		{name: "a line of 20 MB", send: calling("30", "create_file", `{"path":"long.txt","content":"`+long[:20<<20]+`"}`), id: "30", says: "20971520 bytes"},
		{name: "a line of 100 MB", send: calling("31", "create_file", `{"path":"longer.txt","content":"`+long+`"}`), id: "31", code: invalidRequest, says: "67108864 are taken: split the call"},
		{name: "a line of 100 MB with the id at its end", send: `{"method":"tools/call","params":{"name":"create_file","arguments":{"path":"longer.txt","content":"` + long +
			`"}},"jsonrpc":"2.0","id":"last"}` + "\n", id: `"last"`, code: invalidRequest, says: "split the call"},
		{name: "a line of 100 MB without an id", send: long + "\n", code: invalidRequest, says: "split the call"},
		{name: "100,000 notifications", send: strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`+"\n", 100_000), mute: true},
	}
}

// TestHostileStdio: whatever a client sends, it gets an answer with the id where one can be read, standard output has
// nothing but messages, and the next call is answered. All of it is sent to one server.
func TestHostileStdio(t *testing.T) {
	s := serve(t)
	s.send(hello)
	s.answerTo(`"hello"`)
	cases := hostiles()
	for i, c := range cases {
		s.send(c.send)
		if !c.mute {
			var a answer
			if c.id == "" {
				a = s.withoutID()
			} else {
				a = s.answerTo(c.id)
			}
			said, code := string(a.Result), 0
			if a.Error != nil {
				said, code = a.Error.Message, a.Error.Code
			}
			if code != c.code || !strings.Contains(said, c.says) || code != 0 && len(said) > 2000 {
				t.Errorf("%s: error %d, %.300q (%d bytes); want %d and %q", c.name, code, said, len(said), c.code, c.says)
			}
		}
		s.good(fmt.Sprintf(`"good %d"`, i))
		if len(s.null) > 0 {
			t.Fatalf("%s: an answer too many: %+v", c.name, s.null[0].Error)
		}
	}
	t.Logf("%d hostile cases over standard input, %d lines of output", len(cases), s.lines)
	if peak := peakOf(s.cmd.Process.Pid); peak != "" {
		t.Logf("the server's memory at its highest: %s", peak)
	}
	s.ends()
	if _, err := os.Stat(filepath.Join(s.dir, "longer.txt")); err == nil {
		t.Error("a call that was refused was made")
	}
}

// peakOf is the most memory that a process had, where that can be known.
func peakOf(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || runtime.GOOS != "linux" {
		return ""
	}
	_, after, _ := strings.Cut(string(b), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

// TestFlood: 10,000 calls at once are all answered, each once.
func TestFlood(t *testing.T) {
	const calls = 10_000
	s := serve(t)
	var all strings.Builder
	all.WriteString(hello)
	for i := range calls {
		all.WriteString(calling(fmt.Sprint(i), "read_file", `{"path":"a.txt"}`))
	}
	s.send(all.String())
	s.await("the answers to all calls", func() bool { return len(s.answers) == calls+1 })
	for id, a := range s.answers {
		if a.Error != nil || id != `"hello"` && !strings.Contains(string(a.Result), "hello") {
			t.Fatalf("call %s: %s %+v", id, a.Result, a.Error)
		}
	}
	t.Logf("%d calls at once, all answered; the server's memory at its highest: %s", calls, peakOf(s.cmd.Process.Pid))
	s.ends()
}

// TestBeforeHello: what comes too early is refused, and the session can still begin.
func TestBeforeHello(t *testing.T) {
	s := serve(t)
	s.send(calling("1", "read_file", `{"path":"a.txt"}`))
	if a := s.answerTo("1"); a.Error == nil || a.Error.Code != invalidRequest {
		t.Errorf("a call before initialize: %s %+v", a.Result, a.Error)
	}
	s.send(hello)
	s.answerTo(`"hello"`)
	s.good("2")
	s.ends()
}

// TestInputEnds: what was read before the end of the input is answered, and the program ends without an error, also when
// its last line is not whole.
func TestInputEnds(t *testing.T) {
	for name, last := range map[string]string{"whole": "", "no line feed": strings.TrimSpace(calling(`"last"`, "read_file", `{"path":"a.txt"}`)), "half": `{"jsonrpc":"2.0","id":"last","me`, "long": strings.Repeat("x", 70<<20)} {
		s := serve(t)
		var all strings.Builder
		all.WriteString(hello)
		for i := range 50 {
			all.WriteString(calling(fmt.Sprint(i), "create_file", fmt.Sprintf(`{"path":"f%d","content":"x\n"}`, i)))
		}
		s.send(all.String() + last)
		s.ends()
		for i := range 50 {
			if a := s.answers[fmt.Sprint(i)]; a.Error != nil || !strings.Contains(string(a.Result), `"ok":true`) {
				t.Errorf("%s: call %d: %s %+v", name, i, a.Result, a.Error)
			}
			if _, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("f%d", i))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, ok := s.answers[`"last"`]; ok == (name == "whole" || name == "long") || (name == "long") != (len(s.null) == 1) {
			t.Errorf("%s: the last line: %v, %d answers without an id", name, ok, len(s.null))
		}
	}
}

// TestToldToEnd: at SIGTERM every call that has begun is finished and answered, and what was not begun was not made.
func TestToldToEnd(t *testing.T) {
	s := serve(t)
	s.send(hello)
	s.answerTo(`"hello"`)
	const calls = 300
	var all strings.Builder
	for i := range calls {
		all.WriteString(calling(fmt.Sprint(i), "create_file", fmt.Sprintf(`{"path":"f%d","content":"x\n"}`, i)))
	}
	s.send(all.String())
	s.await("the first answers", func() bool { return len(s.answers) > 10 })
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.over
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	made, refused := 0, 0
	for i := range calls {
		a, answered := s.answers[fmt.Sprint(i)]
		done := strings.Contains(string(a.Result), `"ok":true`)
		if _, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("f%d", i))); (err == nil) != done {
			t.Errorf("call %d is answered with %s %+v, and of its file: %v", i, a.Result, a.Error, err)
		}
		if done {
			made++
		} else if answered {
			refused++
		}
	}
	t.Logf("SIGTERM among %d calls: %d made, %d refused, %d not read any more", calls, made, refused, calls-made-refused)
}

// TestOutputCloses: when the client is gone, a call that it made is finished, and the program ends.
func TestOutputCloses(t *testing.T) {
	s := serve(t)
	s.send(hello)
	s.answerTo(`"hello"`)
	s.deaf()
	s.send(calling("1", "create_file", `{"path":"f","content":"x\n"}`))
	s.gone()
	if _, err := os.Stat(filepath.Join(s.dir, "f")); err != nil {
		t.Error(err)
	}
}
