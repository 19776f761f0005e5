package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolResult makes a result of the protocol. Some clients show the model only the text and others only the object, so
// both hold the same facts. A refusal is a result too, marked as an error.
func toolResult(t *tool.Tool, r api.Result) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{IsError: !r.OK(), Content: textContent(r.Text())}
	if t.Form == tool.TextOnly && !t.Mutates {
		return out, nil
	}
	if t.Form != tool.ObjectOnly {
		r = cutDiffs(brief(r))
	}
	object, err := json.Marshal(r)
	switch {
	case err != nil:
		return nil, err
	case t.Form == tool.TextOnly:
		out.Meta, err = metaOf(object)
		return out, err
	case t.Form == tool.ObjectOnly:
		text, err := plainJSON(shown(r))
		if err != nil {
			return nil, err
		}
		out.Content = textContent(text)
	default:
		object = shortenDiffs(object)
	}
	out.StructuredContent = json.RawMessage(object)
	return out, nil
}

// brief returns a result for the object beside a text: what the text shows of files is in the object once.
func brief(r api.Result) api.Result {
	if o, ok := r.(*report.Object); ok {
		return o.Brief()
	}
	return r
}

// shown returns a result for the text of tools whose result is only an object.
func shown(r api.Result) api.Result {
	if o, ok := r.(interface{ Shown() api.Result }); ok && !r.OK() {
		return o.Shown()
	}
	return r
}

// plainJSON encodes a value for a model, which reads code in it: & and < stay as they are.
func plainJSON(v any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// maxDiff is how many bytes of each diff are sent to a client. A model pays for every byte, and has just written what
// the diff says.
const maxDiff = 8 << 10

// cutDiffs returns a result with the diffs of its files shortened: a long one is not worth three copies as JSON.
func cutDiffs(r api.Result) api.Result {
	o, ok := r.(*report.Object)
	if !ok {
		return r
	}
	data, ok := o.Data.(*report.Data)
	if !ok || data == nil {
		return r
	}
	object, short := *o, *data
	short.ChangedFiles = slices.Clone(data.ChangedFiles)
	for i := range short.ChangedFiles {
		f := &short.ChangedFiles[i]
		f.Diff = cutDiff(f.Diff)
	}
	object.Data = &short
	return &object
}

// cutDiff shortens a diff that is longer than maxDiff.
func cutDiff(diff string) string {
	if len(diff) <= maxDiff {
		return diff
	}
	head := diff[:strings.LastIndexByte(diff[:maxDiff], '\n')+1]
	return fmt.Sprintf("%s… %d more bytes\n", head, len(diff)-len(head))
}

// shortenDiffs shortens the diffs in a result that cutDiffs does not know.
func shortenDiffs(object []byte) []byte {
	if len(object) <= maxDiff {
		return object
	}
	var result any
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	if err := dec.Decode(&result); err != nil {
		return object
	}
	shortenDiffsIn(result)
	out, err := json.Marshal(result)
	if err != nil {
		return object
	}
	return out
}

func shortenDiffsIn(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			shortenDiffsIn(item)
		}
	case map[string]any:
		for name, item := range v {
			if diff, ok := item.(string); ok && name == "diff" {
				v[name] = cutDiff(diff)
			} else {
				shortenDiffsIn(item)
			}
		}
	}
}

func textContent(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }

// metaOf returns the _meta of a result: where each hunk landed, and the transaction. It is for programs, where the
// result itself is only text.
func metaOf(object []byte) (sdk.Meta, error) {
	var result struct {
		Meta sdk.Meta `json:"_meta"`
	}
	err := json.Unmarshal(object, &result)
	return result.Meta, err
}
