package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
)

// actor is who asks, as the request says it; it is for the log and decides nothing.
func (s *Server) actor(req *sdk.CallToolRequest) emend.Actor {
	var out emend.Actor
	if c := req.ClientInfo(); c != nil {
		out.Client = c.Name
		if c.Version != "" {
			out.Client += "/" + c.Version
		}
	}
	return out
}
