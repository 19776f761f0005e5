package mcp

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/internal/tool"
)

// BenchmarkStdio makes one call after the other, and many at once, over stdioConn and over the SDK's own connection,
// to show what the difference costs.
func BenchmarkStdio(b *testing.B) {
	own := func(s *Server, in io.ReadCloser, out io.WriteCloser) { s.Stdio(b.Context(), in, out) }
	theirs := func(s *Server, in io.ReadCloser, out io.WriteCloser) {
		s.sdk.Run(b.Context(), &sdk.IOTransport{Reader: in, Writer: out})
	}
	for _, row := range []struct {
		name  string
		serve func(*Server, io.ReadCloser, io.WriteCloser)
	}{{"own", own}, {"library", theirs}} {
		for _, flight := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/flight=%d", row.name, flight), func(b *testing.B) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				go row.serve(New(Config{Workspaces: []tool.Workspace{{}}}), inR, outW)
				lines := bufio.NewScanner(outR)
				fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
				lines.Scan()
				b.ResetTimer()
				go func() {
					for i := range min(flight, b.N) {
						fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i+1)
					}
				}()
				for i := range b.N {
					lines.Scan()
					if i+flight < b.N {
						fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i+flight+1)
					}
				}
				b.StopTimer()
				inW.Close()
				outR.Close()
			})
		}
	}
}
