//go:build npm && linux

package agents

import (
	"encoding/json"
	"io"
	"strings"
)

// generate is the protocol of Gemini CLI: POST /v1beta/models/MODEL:generateContent, or streamGenerateContent.
var generate = protocol{
	asks:  func(path string) bool { return strings.HasSuffix(strings.ToLower(path), "generatecontent") },
	read:  readGenerate,
	write: writeGenerate,
}

func readGenerate(path string, body []byte) (out shown, err error) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID       string
					Response struct{ Output, Error string }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, err
	}
	out.stream = strings.HasSuffix(path, ":streamGenerateContent")
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			out.tools = append(out.tools, f.Name)
		}
	}
	seen := map[string]bool{}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if r := p.FunctionResponse; r != nil && !(r.ID != "" && seen[r.ID]) { // a session that goes on has some twice
				seen[r.ID] = true
				out.add("", r.Response.Output+r.Response.Error)
			}
		}
	}
	return out, nil
}

func writeGenerate(w io.Writer, to shown, s said) {
	piece := object{"text": s.words}
	if s.tool != "" {
		piece = object{"functionCall": object{"name": s.tool, "args": json.RawMessage(s.args)}}
	}
	out := object{"candidates": []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{piece}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "scripted"}
	if to.stream {
		event(w, "", out)
		return
	}
	io.WriteString(w, encode(out))
}
