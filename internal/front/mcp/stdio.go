package mcp

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio serves one client over a pair of streams until the input ends or ctx does. The calls in hand are finished first.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.all.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}
