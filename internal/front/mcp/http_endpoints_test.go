package mcp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/internal/tool"
)

// TestRevisions checks that one address speaks all revisions with the SDK's client.
func TestRevisions(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		init := strings.ReplaceAll(hello, "2025-11-25", version)
		r := s.want(request{body: init}, 200, `"protocolVersion":"`+version+`"`)
		id := r.Header.Get(sessionHeader)
		s.want(request{body: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}`,
			head: []string{sessionHeader, id, "Mcp-Protocol-Version", version}}, 200, "hello of default")
	}
	r := request{body: rpc("server/discover", ""), head: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover"}}
	s.want(r, 200, "2026-07-28", "2025-11-25", "2025-06-18")
	s.good()

	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + s.at + "/mcp", HTTPClient: &http.Client{Transport: withToken{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	out, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "a.txt"}})
	if err != nil || out.IsError {
		t.Errorf("%v %v", out, err)
	}
	t.Logf("the library's client speaks %s", session.InitializeResult().ProtocolVersion)
}

// withToken adds the token to requests.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "bearer "+testToken) // the scheme is not case-sensitive
	return http.DefaultTransport.RoundTrip(r)
}

// TestWorkspaces checks that each workspace has its own path and its own sessions.
func TestWorkspaces(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil, "api", "web")
	for _, name := range []string{"api", "web"} {
		r := read
		r.path = "/mcp/" + name
		s.want(r, 200, "hello of "+name)
	}
	s.want(toolCall("read_file", `{"path":"a.txt","workspace":"api"}`), 200, "hello of api")
	s.want(toolCall("read_file", `{"path":"a.txt","workspace":"other"}`), 200, "isError", "api")
	init := old("", hello)
	init.path = "/mcp/web"
	id := s.want(init, 200).Header.Get(sessionHeader)
	list := old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	s.want(list, 404)
	list.path = "/mcp/web"
	s.want(list, 200, "read_file")
	var said []string
	for line := range strings.Lines(s.logs.String()) {
		if _, after, ok := strings.Cut(line, "msg=call "); ok {
			said = append(said, regexp.MustCompile(`workspace=(\S*)`).FindString(after))
		}
	}
	if got := strings.Join(said, " "); got != `workspace=api workspace=web workspace=api workspace=""` {
		t.Errorf("the log has %s", got)
	}
}

// TestLogKeepsQuiet checks that the log has no token, session id, argument or content.
func TestLogKeepsQuiet(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	id := s.session()
	s.want(old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_file","arguments":{"path":"argument.txt","content":"contents"}}}`), 200)
	s.want(toolCall("read_file", `{"path":"argument.txt"}`), 200)
	s.want(toolCall("read_file", `{"path":"absent.txt"}`), 200, "isError")
	s.want(request{token: "Bearer guessedtoken"}, 401)
	s.want(old("guessedsession", hello), 404)
	s.want(request{method: "DELETE", head: []string{sessionHeader, id}}, 204)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	log := s.logs.String()
	for _, secret := range []string{id, testToken, "guessedtoken", "guessedsession", "argument.txt", "absent.txt", "contents", "hello of"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	for _, want := range []string{"msg=call tool=create_file client=tester/1 session=" + logID(id) + " workspace=default ms=", "ok=true", "ok=false", "session=" + logID(id)} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in the log:\n%s", want, log)
		}
	}
}

// TestTLS checks that a server with a certificate tells nothing to clients without TLS.
func TestTLS(t *testing.T) {
	s := &site{t: t, HTTP: New(Config{Workspaces: []tool.Workspace{serve(t, HTTPConfig{}, nil).Workspaces[0]}}).HTTP(HTTPConfig{Token: testToken})}
	cert, pool := certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), l, cert) }()
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	resp, err := (&http.Client{Transport: tr}).Get("https://" + l.Addr().String() + "/healthz")
	if err != nil || resp.StatusCode != 200 || resp.TLS.Version < tls.VersionTLS12 {
		t.Errorf("%v %v", resp, err)
	}
	resp.Body.Close()
	tr.CloseIdleConnections()
	if resp, err := http.Get("http://" + l.Addr().String() + "/healthz"); err == nil {
		if resp.StatusCode != 400 {
			t.Errorf("without TLS: code %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
	old := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}}
	if _, err := (&http.Client{Transport: old}).Get("https://" + l.Addr().String() + "/healthz"); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	l.Close()
	<-ended
}

// certificate makes a certificate for this machine and this test.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	pool.AddCert(c)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
