//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// responses is the protocol of Codex: POST /responses.
var responses = protocol{
	asks:  func(path string) bool { return strings.HasSuffix(path, "/responses") },
	read:  readResponses,
	write: writeResponses,
}

// namespace is a tool, or several under one name: Codex offers the tools of an MCP server this way.
type namespace struct {
	Type, Name string
	Tools      []namespace
}

// item is an item of the conversation.
type item struct {
	Type   string
	Output json.RawMessage
	Tools  []namespace // added by the agent, or found by a search
	CallID string      `json:"call_id"`
}

func readResponses(_ string, body []byte) (out shown, err error) {
	var in struct {
		Stream bool
		Tools  []namespace
		Input  []item
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, err
	}
	out.stream = in.Stream
	out.offer(in.Tools)
	for _, i := range in.Input {
		out.offer(i.Tools)
		switch said := text(i.Output); {
		case i.Type == "custom_tool_call_output" && strings.Contains(i.CallID, finding):
			for _, m := range nested.FindAllStringSubmatch(said, -1) {
				out.tools = append(out.tools, m[1])
			}
		case i.Type == "function_call_output" || i.Type == "custom_tool_call_output":
			out.add(i.CallID, said)
		}
	}
	return out, nil
}

// nested matches the name of a tool in the output of [list].
var nested = regexp.MustCompile(`"name":"([a-z_]+)"`)

// offer adds tools to those that the model may call.
func (s *shown) offer(tools []namespace) {
	for _, t := range tools {
		for _, name := range t.names("") {
			s.tools = append(s.tools, name)
			s.code = s.code || name == "functions exec"
			s.finds = s.finds || s.code || name == "tool_search"
		}
	}
}

// names returns the names of a tool. Those in a namespace follow its name and a space.
func (n namespace) names(in string) []string {
	name := n.Name
	if name == "" {
		name = n.Type // a tool on the model's side
	}
	if len(n.Tools) == 0 {
		return []string{in + name}
	}
	var out []string
	for _, t := range n.Tools {
		out = append(out, t.names(name+" ")...)
	}
	return out
}

// list is a program that prints emend's tools. run is one that calls a tool and prints the result.
const (
	list = `text(ALL_TOOLS.filter((t) => t.name.includes("emend")))`
	run  = `text(await tools.%s(%s))`
)

func writeResponses(w io.Writer, to shown, s said) {
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "resp_1"}})
	event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": outputItem(to, s)})
	event(w, "response.completed", object{"type": "response.completed", "response": object{"id": "resp_1",
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// outputItem returns the model's answer as an item of a response.
func outputItem(to shown, s said) object {
	program := func(text string) object {
		return object{"type": "custom_tool_call", "id": "ctc_" + s.id, "call_id": s.id, "namespace": "functions", "name": "exec", "input": text}
	}
	switch in, name, ok := strings.Cut(s.tool, " "); {
	case s.find != "" && to.code:
		return program(list)
	case s.find != "":
		return object{"type": "tool_search_call", "id": "ts_" + s.id, "call_id": s.id, "execution": "client",
			"arguments": object{"query": s.find}}
	case s.tool == "":
		return object{"type": "message", "role": "assistant", "id": "msg_1", "content": []object{{"type": "output_text", "text": s.words}}}
	case s.own:
		return object{"type": "custom_tool_call", "id": "ctc_" + s.id, "call_id": s.id, "name": s.tool, "input": s.args}
	case to.code:
		return program(fmt.Sprintf(run, s.tool, s.args))
	case ok:
		return object{"type": "function_call", "id": "fc_" + s.id, "call_id": s.id, "namespace": in, "name": name, "arguments": s.args}
	default:
		return object{"type": "function_call", "id": "fc_" + s.id, "call_id": s.id, "name": s.tool, "arguments": s.args}
	}
}
