package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileInput is input that no client should send, and the answer to it.
type hostileInput struct {
	name     string
	send     string
	id       string // of the answer; "" for an answer without an id
	code     int    // of its error; 0 for none: a result
	want     string // in the error, or in the result
	noAnswer bool   // there is no answer
}

const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

func hostileInputs() []hostileInput {
	long := strings.Repeat("x", 100<<20)
	call := func(id, args string) string { return toolCall(id, "read_file", args) }
	return []hostileInput{
		{name: "no JSON", send: "what?\n", code: parseError, want: "at byte 1"},
		{name: "half a message", send: `{"jsonrpc":"2.0","id":7,"method":` + "\n", id: "7", code: parseError, want: "not JSON"},
		{name: "a header of another protocol", send: "Content-Length: 52\r\n\r\n", code: parseError, want: "one JSON-RPC message a line"},
		{name: "NUL bytes", send: "\x00\x00\x00\n", code: parseError, want: "not JSON"},
		{name: "NUL in a message", send: `{"jsonrpc":"2.0","id":8,"method":"ping"` + "\x00}\n", id: "8", code: parseError, want: "not JSON"},
		{name: "a byte order mark", send: "\ufeff" + `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n", code: parseError, want: "not JSON"},
		{name: "invalid UTF-8", send: `{"jsonrpc":"2.0","id":10,"method":"ping","params":{"a":"` + "\xff" + `"}}` + "\n", id: "10", code: parseError, want: "UTF-8 at byte 56"},
		{name: "UTF-16", send: "{\x00\"\x00i\x00d\x00\"\x00:\x001\x00}\x00\n", code: parseError, want: "not JSON"},
		{name: "two messages in a line", send: `{"jsonrpc":"2.0","id":11,"method":"ping"}{"jsonrpc":"2.0","id":12,"method":"ping"}` + "\n", id: "11", code: parseError},
		{name: "a batch", send: `[{"jsonrpc":"2.0","id":13,"method":"ping"}]` + "\n", code: invalidRequest, want: "batch"},
		{name: "an empty batch", send: "[]\n", code: invalidRequest, want: "batch"},
		{name: "a number", send: "42\n", code: invalidRequest, want: "no object"},
		{name: "null", send: "null\n", code: invalidRequest, want: "no object"},
		{name: "an empty object", send: "{}\n", code: invalidRequest, want: "no method"},
		{name: "no version", send: `{"id":14,"method":"ping"}` + "\n", id: "14", code: invalidRequest, want: "jsonrpc"},
		{name: "another version", send: `{"jsonrpc":"1.0","id":15,"method":"ping"}` + "\n", id: "15", code: invalidRequest, want: "jsonrpc"},
		{name: "names in capitals", send: `{"JSONRPC":"2.0","ID":16,"METHOD":"ping"}` + "\n", code: invalidRequest, want: "no method"},
		{name: "a method that is a number", send: `{"jsonrpc":"2.0","id":17,"method":5}` + "\n", id: "17", code: invalidRequest, want: "string"},
		{name: "an id that is null", send: `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", code: invalidRequest, want: "id is null"},
		{name: "an id with a fraction", send: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", code: invalidRequest, want: "id is 1.5"},
		{name: "an id that would be rounded", send: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n", code: invalidRequest, want: "integer"},
		{name: "an id that is an object", send: `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", code: invalidRequest, want: "integer"},
		{name: "an id of a megabyte", send: `{"jsonrpc":"2.0","id":"` + long[:1<<20] + `","method":"ping"}` + "\n", code: invalidRequest, want: "1024 bytes"},
		{name: "an answer to nothing", send: `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n", noAnswer: true},
		{name: "an error about nothing", send: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}` + "\n", noAnswer: true},
		{name: "empty lines", send: "\n\r\n \t\n", noAnswer: true},
		{name: "an unknown notification", send: `{"jsonrpc":"2.0","method":"notifications/x","params":[1]}` + "\n", noAnswer: true},
		{name: "a cancellation of nothing", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}` + "\n", noAnswer: true},
		{name: "a cancellation that makes no sense", send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}` + "\n", noAnswer: true},
		{name: "a call without an id", send: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_file","arguments":{"path":"a.txt"}}}` + "\n", noAnswer: true},
		{name: "an unknown method", send: `{"jsonrpc":"2.0","id":18,"method":"tools/steal"}` + "\n", id: "18", code: unknownMethod, want: "tools/steal"},
		{name: "a hello that comes twice", send: strings.Replace(initialize, `"hello"`, "19", 1), id: "19", code: invalidRequest, want: "duplicate"},
		{name: "an unknown tool", send: toolCall("20", "format_disk", "{}"), id: "20", code: invalidParams, want: "format_disk"},
		{name: "a call without parameters", send: `{"jsonrpc":"2.0","id":21,"method":"tools/call"}` + "\n", id: "21", code: invalidRequest, want: "params"},
		{name: "parameters that are a list", send: `{"jsonrpc":"2.0","id":22,"method":"tools/call","params":[]}` + "\n", id: "22", code: invalidParams},
		{name: "megabytes of parameters of a wrong type", send: `{"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":["` + long[:4<<20] + `"]}}` + "\n",
			id: "23", code: invalidParams, want: "…"},
		{name: "a token of progress that is an object", send: `{"jsonrpc":"2.0","id":24,"method":"tools/call","params":{"_meta":{"progressToken":{}},"name":"read_file","arguments":{"path":"a.txt"}}}` + "\n",
			id: "24", want: "hello"},
		{name: "arguments that are no object", send: call("25", `"a.txt"`), id: "25", want: "isError"},
		{name: "arguments with a name twice", send: call("26", `{"path":"a.txt","path":"b.txt"}`), id: "26", want: "twice"},
		{name: "arguments 17 levels deep", send: call("27", `{"path":`+strings.Repeat("[", 17)+strings.Repeat("]", 17)+`}`), id: "27", want: "levels deep"},
		{name: "arguments 5,000 levels deep", send: call("28", `{"path":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`), id: "28", code: invalidParams, want: "depth"},
		{name: "a message 100,000 levels deep", send: `{"jsonrpc":"2.0","id":29,"method":"ping","params":` + strings.Repeat(`{"a":`, 100_000) + "\n", id: "29", code: parseError, want: "depth"},
		{name: "a line of 20 MB", send: toolCall("30", "create_file", `{"path":"long.txt","content":"`+long[:20<<20]+`"}`), id: "30", want: "20971520 bytes"},
		{name: "a line of 100 MB", send: toolCall("31", "create_file", `{"path":"longer.txt","content":"`+long+`"}`), id: "31", code: invalidRequest, want: "67108864 are taken: split the call"},
		{name: "a line of 100 MB with the id at its end", send: `{"method":"tools/call","params":{"name":"create_file","arguments":{"path":"longer.txt","content":"` + long +
			`"}},"jsonrpc":"2.0","id":"last"}` + "\n", id: `"last"`, code: invalidRequest, want: "split the call"},
		{name: "a line of 100 MB without an id", send: long + "\n", code: invalidRequest, want: "split the call"},
		{name: "100,000 notifications", send: strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`+"\n", 100_000), noAnswer: true},
	}
}

// Whatever a client sends, it gets an answer, with the id if one can be read. Standard output has nothing but messages,
// and the next call is answered. One server gets all inputs.
func TestServeStdioHostile(t *testing.T) {
	s := serve(t)
	s.send(initialize)
	s.answerTo(`"hello"`)
	cases := hostileInputs()
	for i, c := range cases {
		s.send(c.send)
		if !c.noAnswer {
			var a message
			if c.id == "" {
				a = s.nextWithoutID()
			} else {
				a = s.answerTo(c.id)
			}
			said, code := string(a.Result), 0
			if a.Error != nil {
				said, code = a.Error.Message, a.Error.Code
			}
			if code != c.code || !strings.Contains(said, c.want) || code != 0 && len(said) > 2000 {
				t.Errorf("%s: error %d, %.300q (%d bytes); want %d and %q", c.name, code, said, len(said), c.code, c.want)
			}
		}
		s.checkAlive(fmt.Sprintf(`"good %d"`, i))
		if len(s.withoutIDs) > 0 {
			t.Fatalf("%s: an answer too many: %+v", c.name, s.withoutIDs[0].Error)
		}
	}
	t.Logf("%d hostile cases over standard input, %d lines of output", len(cases), s.lines)
	if peak := peakMemory(s.cmd.Process.Pid); peak != "" {
		t.Logf("the server's memory at its highest: %s", peak)
	}
	s.endInput()
	if _, err := os.Stat(filepath.Join(s.dir, "longer.txt")); err == nil {
		t.Error("a call that was refused was made")
	}
}

// peakMemory returns the most memory that a process had, or "" where that is unknown.
func peakMemory(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || runtime.GOOS != "linux" {
		return ""
	}
	_, after, _ := strings.Cut(string(b), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

// 10,000 calls at once are all answered, each once.
func TestServeStdioManyCalls(t *testing.T) {
	const calls = 10_000
	s := serve(t)
	var all strings.Builder
	all.WriteString(initialize)
	for i := range calls {
		all.WriteString(toolCall(fmt.Sprint(i), "read_file", `{"path":"a.txt"}`))
	}
	s.send(all.String())
	s.await("the answers to all calls", func() bool { return len(s.answers) == calls+1 })
	for id, a := range s.answers {
		if a.Error != nil || id != `"hello"` && !strings.Contains(string(a.Result), "hello") {
			t.Fatalf("call %s: %s %+v", id, a.Result, a.Error)
		}
	}
	t.Logf("%d calls at once, all answered; the server's memory at its highest: %s", calls, peakMemory(s.cmd.Process.Pid))
	s.endInput()
}

// A server merges a patch for what it showed into a file that somebody saved since.
func TestServeStdioKeepsReads(t *testing.T) {
	s := serve(t)
	save := func(data string) {
		if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("hello\none\ntwo\nthree\n")
	s.send(initialize + toolCall("1", "read_file", `{"path":"a.txt"}`))
	_, rest, _ := strings.Cut(string(s.answerTo("1").Result), "sha256 ")
	sum, _, _ := strings.Cut(rest, " ")
	save("Hello\none\ntwo\nthree\n")
	const patch = `*** Begin Patch\n*** Update File: a.txt\n@@\n two\n-three\n+3\n*** End Patch`
	s.send(toolCall("2", "apply_patch", fmt.Sprintf(`{"patch":"%s","lenient":true,"expectedSha256ByPath":{"a.txt":%q}}`, patch, sum)))
	a := s.answerTo("2")
	data, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
	if err != nil || string(data) != "Hello\none\ntwo\n3\n" {
		t.Errorf("%q, %v: %s %+v", data, err, a.Result, a.Error)
	}
	s.endInput()
}

// A call before initialize is refused, and the session can still begin.
func TestServeStdioCallBeforeInitialize(t *testing.T) {
	s := serve(t)
	s.send(toolCall("1", "read_file", `{"path":"a.txt"}`))
	if a := s.answerTo("1"); a.Error == nil || a.Error.Code != invalidRequest {
		t.Errorf("a call before initialize: %s %+v", a.Result, a.Error)
	}
	s.send(initialize)
	s.answerTo(`"hello"`)
	s.checkAlive("2")
	s.endInput()
}

// Calls that were read before the end of the input are answered, and the process ends without an error, also if the
// last line is incomplete.
func TestServeStdioEndOfInput(t *testing.T) {
	for name, last := range map[string]string{"whole": "", "no line feed": strings.TrimSpace(toolCall(`"last"`, "read_file", `{"path":"a.txt"}`)), "half": `{"jsonrpc":"2.0","id":"last","me`, "long": strings.Repeat("x", 70<<20)} {
		s := serve(t)
		var all strings.Builder
		all.WriteString(initialize)
		for i := range 50 {
			all.WriteString(toolCall(fmt.Sprint(i), "create_file", fmt.Sprintf(`{"path":"f%d","content":"x\n"}`, i)))
		}
		s.send(all.String() + last)
		s.endInput()
		for i := range 50 {
			if a := s.answers[fmt.Sprint(i)]; a.Error != nil || !strings.Contains(string(a.Result), `"ok":true`) {
				t.Errorf("%s: call %d: %s %+v", name, i, a.Result, a.Error)
			}
			if _, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("f%d", i))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, ok := s.answers[`"last"`]; ok == (name == "whole" || name == "long") || (name == "long") != (len(s.withoutIDs) == 1) {
			t.Errorf("%s: the last line: %v, %d answers without an id", name, ok, len(s.withoutIDs))
		}
	}
}

// At SIGTERM every call that has begun is finished and answered. A call that has not begun changes nothing.
func TestServeStdioSIGTERM(t *testing.T) {
	noSignals(t)
	s := serve(t)
	s.send(initialize)
	s.answerTo(`"hello"`)
	const calls = 300
	var all strings.Builder
	for i := range calls {
		all.WriteString(toolCall(fmt.Sprint(i), "create_file", fmt.Sprintf(`{"path":"f%d","content":"x\n"}`, i)))
	}
	s.send(all.String())
	s.await("the first answers", func() bool { return len(s.answers) > 10 })
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ended
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

// When the client has gone, its calls are finished, and the process ends.
func TestServeStdioClientGone(t *testing.T) {
	s := serve(t)
	s.send(initialize)
	s.answerTo(`"hello"`)
	s.closeOutput()
	s.send(toolCall("1", "create_file", `{"path":"f","content":"x\n"}`))
	s.waitForExit()
	if _, err := os.Stat(filepath.Join(s.dir, "f")); err != nil {
		t.Error(err)
	}
}

// The exit code is 0 after SIGTERM, SIGINT, and the end of the input.
func TestServeStdioExitCode(t *testing.T) {
	noSignals(t)
	for _, how := range []string{"SIGTERM", "SIGINT", "end of input"} {
		cmd := exec.Command("emend", "serve", t.TempDir())
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home"}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "serverInfo") {
			t.Errorf("%v: %s", err, line)
		}
		switch how {
		case "SIGTERM":
			cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait returns it
		case "SIGINT":
			cmd.Process.Signal(syscall.SIGINT) //nolint:errcheck // Wait returns it
		default:
			in.Close()
		}
		kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }) //nolint:errcheck // Wait returns it
		if err := cmd.Wait(); err != nil || strings.Contains(errs.String(), "level=ERROR") || strings.Contains(errs.String(), "emend:") {
			t.Errorf("%s: %v: %s", how, err, &errs)
		}
		kill.Stop()
	}
}

func noSignals(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: there are no signals on Windows")
	}
}
