package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxResource   = 4 << 20 // bytes of a file
	maxLogEntries = 50
)

// capabilities returns what a server offers under a profile. Its lists do not change, and there is nothing to
// subscribe to. Only the profile emend has resources.
func capabilities(profile *tool.Profile) *sdk.ServerCapabilities {
	out := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	if profile == tool.Emend {
		out.Resources = &sdk.ResourceCapabilities{}
	}
	return out
}

// addResources offers the files, the log and the trash of each workspace. If there are several workspaces, the URI
// begins with the name of one, which has letters, digits, dots, dashes and underscores only.
func (s *Server) addResources(out *sdk.Server, spaces []tool.Workspace) {
	for _, ws := range spaces {
		base, of := "emend://", ""
		if len(spaces) > 1 {
			base, of = base+ws.Name+"/", " of "+ws.Name
		}
		out.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: base + "file/{+path}", Name: "file" + of,
			Title: "A file" + of, Description: "A file of the workspace, as read_file reads it. Its sha256 is in _meta."},
			resourceHandler(func(ctx context.Context, uri string) (*sdk.ResourceContents, error) {
				return readFile(ctx, ws.Workspace, uri, strings.TrimPrefix(uri, base+"file/"))
			}))
		out.AddResource(&sdk.Resource{URI: base + "log", Name: "log" + of, Title: "The log" + of, MIMEType: "application/jsonl",
			Description: fmt.Sprintf("The newest %d entries of the log, the newest first, one a line.", maxLogEntries)},
			resourceHandler(func(ctx context.Context, uri string) (*sdk.ResourceContents, error) {
				return readLog(ctx, ws.Workspace)
			}))
		out.AddResource(&sdk.Resource{URI: base + "trash", Name: "trash" + of, Title: "The trash" + of, MIMEType: "application/json",
			Description: "What was deleted and can be restored, the newest first."},
			resourceHandler(func(ctx context.Context, uri string) (*sdk.ResourceContents, error) {
				return readTrash(ctx, ws.Workspace)
			}))
	}
}

// escapeURI escapes the bytes of a resource's URI that no URI may have. Models write the names of files as they are.
func escapeURI(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if r, ok := req.(*sdk.ReadResourceRequest); ok {
			var out strings.Builder
			for _, b := range []byte(r.Params.URI) {
				if b <= ' ' || b >= 0x7f || strings.IndexByte("\"<>\\^`{|}", b) >= 0 {
					fmt.Fprintf(&out, "%%%02X", b)
				} else {
					out.WriteByte(b)
				}
			}
			r.Params.URI = out.String()
		}
		return next(ctx, method, req)
	}
}

// resourceHandler makes a handler from a function that reads one resource. The result is not cacheable for others, as
// it may change at any time.
func resourceHandler(read func(ctx context.Context, uri string) (*sdk.ResourceContents, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c, err := read(ctx, req.Params.URI)
		if err != nil {
			return nil, resourceError(req.Params.URI, err)
		}
		if c.Text == "" && c.Blob == nil {
			c.Blob = []byte{} // one of the two must be present, and the SDK leaves out an empty text
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}, Cacheable: sdk.Cacheable{CacheScope: "private"}}, nil
	}
}

// resourceError words an error as the protocol has it.
func resourceError(uri string, err error) error {
	if errors.Is(err, fail.NotFound) {
		return sdk.ResourceNotFoundError(uri)
	}
	out := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		out.Message = r.Explain()
	}
	return out
}

// readFile reads a file. It unescapes the path once. The guard decides where the path leads.
func readFile(ctx context.Context, ws *emend.Workspace, uri, escaped string) (*sdk.ResourceContents, error) {
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, fmt.Errorf("%s is no URI: %w. Escape %% as %%25", fail.Quote(uri), err)
	}
	a, err := ws.Read(ctx, api.ReadRequest{Path: name, MaxBytes: maxResource, AllowBinary: true})
	if err != nil {
		return nil, err
	}
	d := a.Data
	if d.Truncated {
		return nil, fmt.Errorf("%s has %d bytes, and a resource at most %d: read it with read_file, some lines at a time", fail.Quote(name), d.SizeBytes, maxResource)
	}
	out := &sdk.ResourceContents{URI: uri, Text: d.Content, MIMEType: mimeType(name), Meta: sdk.Meta{"sha256": d.Sha256, "encoding": d.Encoding}}
	if d.Binary {
		blob, err := base64.StdEncoding.DecodeString(d.ContentBase64)
		if err != nil {
			return nil, err
		}
		out.Text, out.Blob, out.MIMEType = "", blob, http.DetectContentType(blob)
	}
	return out, nil
}

func readLog(ctx context.Context, ws *emend.Workspace) (*sdk.ResourceContents, error) {
	a, err := ws.History(ctx, api.HistoryRequest{Limit: maxLogEntries})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for i := range a.Data.Entries {
		if err := enc.Encode(&a.Data.Entries[i]); err != nil {
			return nil, err
		}
	}
	return &sdk.ResourceContents{Text: out.String()}, nil
}

func readTrash(ctx context.Context, ws *emend.Workspace) (*sdk.ResourceContents, error) {
	list, err := ws.Trash(ctx)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(list)
	return &sdk.ResourceContents{Text: string(b)}, err
}

// mimeTypes are the types of texts that clients display in their own way. They are listed here since the types that
// the system knows differ from machine to machine.
var mimeTypes = map[string]string{
	".css": "text/css", ".csv": "text/csv", ".go": "text/x-go", ".html": "text/html", ".js": "text/javascript",
	".json": "application/json", ".jsonl": "application/jsonl", ".md": "text/markdown", ".mjs": "text/javascript",
	".py": "text/x-python", ".rs": "text/x-rust", ".svg": "image/svg+xml", ".toml": "application/toml", ".ts": "text/x-typescript",
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

func mimeType(name string) string {
	if t := mimeTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "text/plain"
}
