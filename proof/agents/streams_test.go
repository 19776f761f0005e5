//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recordStreams returns a command whose input and output are recorded.
func (w *account) recordStreams(command ...string) []string {
	in, out := filepath.Join(w.root, "wire-in"), filepath.Join(w.root, "wire-out")
	return append([]string{"/bin/sh", "-c", `in=$1 out=$2; shift 2; tee -a "$in" | "$@" | tee -a "$out"`, "sh", in, out}, command...)
}

// revision returns the revision of the protocol in the recorded streams.
func (w *account) revision() string {
	const meta = "io.modelcontextprotocol/protocolVersion"
	for _, line := range w.wire("in") {
		var in struct {
			Params struct {
				Meta map[string]any `json:"_meta"`
			}
		}
		if json.Unmarshal([]byte(line), &in) == nil && in.Params.Meta[meta] != nil {
			return fmt.Sprint(in.Params.Meta[meta])
		}
	}
	for _, line := range w.wire("out") {
		var in struct {
			Result struct{ ProtocolVersion string }
		}
		if json.Unmarshal([]byte(line), &in) == nil && in.Result.ProtocolVersion != "" {
			return in.Result.ProtocolVersion
		}
	}
	return "unknown"
}

func (w *account) wire(which string) []string {
	data, _ := os.ReadFile(filepath.Join(w.root, "wire-"+which))
	return strings.Split(string(data), "\n")
}
