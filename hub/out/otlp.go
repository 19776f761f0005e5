package out

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OTLP sends events as logs of OpenTelemetry to a collector, over HTTP with JSON. What an SDK would drop when a collector is away, it sends later: it
// keeps in a file how far it is, and goes on only when the collector has taken everything before.
type OTLP struct {
	Endpoint string            // the collector: https://HOST:4318, or with a path that ends with /v1/logs
	Headers  map[string]string // such as for authentication
	Cursor   string            // the file with the position
	Version  string            // of emend-hub
	Client   *http.Client      // nil for the default one
	Log      *slog.Logger
	Wait     time.Duration // between two tries; 0 for one that grows from 1 second to 1 minute
}

// Limits of a request.
const (
	maxEvents  = 500
	maxPayload = 4 << 20
	maxLinger  = time.Second // before a request that is not full
)

// Run sends events until ctx ends. It returns earlier only if the source or the cursor's file cannot be read or written, or the collector refuses
// for good.
func (o *OTLP) Run(ctx context.Context, s *Source) error {
	after, err := readCursor(o.Cursor)
	if err != nil {
		return err
	}
	events := make(chan any, maxEvents) // *Event, or the position of a message whose events were all given
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		give := func(v any) error {
			select {
			case events <- v:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		read <- s.Read(ctx, after, true, func(e *Event) error { return give(e) }, func(p uint64) error { return give(p) })
	}()
	var batch []*Event
	size, complete := 0, after
	linger := time.NewTimer(maxLinger)
	defer linger.Stop()
	flush := func() error {
		linger.Reset(maxLinger)
		if len(batch) > 0 {
			if err := o.send(ctx, batch); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
		if complete > after {
			after = complete
			return writeCursor(o.Cursor, after)
		}
		return nil
	}
	for {
		var err error
		select {
		case v := <-events:
			switch v := v.(type) {
			case uint64:
				complete = v
			case *Event:
				batch = append(batch, v)
				if size += sizeOf(v); len(batch) >= maxEvents || size >= maxPayload {
					err = flush()
				}
			}
		case <-linger.C:
			err = flush()
		case err = <-read:
			err = cmp.Or(err, errors.New("the source of events ended"))
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// sizeOf estimates the bytes of an event.
func sizeOf(e *Event) int {
	if e.Record == nil {
		return 1000
	}
	return 1500 + len(e.Record.Message) + len(e.Record.Command) + 300*len(e.Record.Files)
}

// readCursor returns the position in a file; 0 if there is none.
func readCursor(name string) (uint64, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no position: %w; remove it to send everything again", name, err)
	}
	return n, nil
}

// writeCursor replaces the position in a file. After a power cut it may be an older one: then events are sent again.
func writeCursor(name string, position uint64) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".cursor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // no file any more after the rename
	_, err = fmt.Fprintln(f, position)
	return errors.Join(err, f.Sync(), f.Close(), os.Rename(f.Name(), name))
}

// send posts events until the collector takes them.
func (o *OTLP) send(ctx context.Context, events []*Event) error {
	body, err := json.Marshal(logsOf(events, o.Version))
	if err != nil {
		return err
	}
	wait := cmp.Or(o.Wait, time.Second)
	for {
		again, after, err := o.post(ctx, body)
		if err == nil || !again {
			return err
		}
		o.log().Warn("the collector did not take events; they are sent again", "endpoint", o.Endpoint, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(wait, after)):
		}
		if o.Wait == 0 {
			wait = min(2*wait, time.Minute)
		}
	}
}

func (o *OTLP) log() *slog.Logger { return cmp.Or(o.Log, slog.New(slog.DiscardHandler)) }

// address returns where logs are posted.
func (o *OTLP) address() string {
	if strings.HasSuffix(o.Endpoint, "/v1/logs") {
		return o.Endpoint
	}
	return strings.TrimSuffix(o.Endpoint, "/") + "/v1/logs"
}

// maxRetryAfter bounds the pause that a collector asks for.
const maxRetryAfter = 10 * time.Minute

// post posts one request. again says that it may be sent again, as the protocol has it, and after how long the collector wants it.
func (o *OTLP) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.address(), bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "emend-hub/"+o.Version)
	for name, value := range o.Headers {
		r.Header.Set(name, value)
	}
	// A redirect is not followed: some are followed without the body, so that the events would be lost, and others would give the events and the key
	// in a header to another host.
	client := *cmp.Or(o.Client, http.DefaultClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(r)
	if err != nil {
		return true, 0, err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		var answer struct {
			PartialSuccess struct {
				Rejected json.Number `json:"rejectedLogRecords"`
				Message  string      `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		if json.Unmarshal(text, &answer) == nil && answer.PartialSuccess.Rejected != "" && answer.PartialSuccess.Rejected != "0" {
			o.log().Error("the collector rejected events for good", "number", answer.PartialSuccess.Rejected, "reason", answer.PartialSuccess.Message)
		}
		return false, 0, nil
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout: // 500 as well: whatever is ill there may get well
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return true, min(time.Duration(max(seconds, 0))*time.Second, maxRetryAfter), fmt.Errorf("the collector answered %s", res.Status)
	case code >= 300 && code < 400:
		return false, 0, fmt.Errorf("the collector at %s answered %s: it is at %q; redirects are not followed, name that address with --otlp", o.address(), res.Status, res.Header.Get("Location"))
	}
	return false, 0, fmt.Errorf("the collector at %s refused events for good: %s: %.200q", o.address(), res.Status, text)
}

// The JSON of OTLP.
type (
	logs struct {
		ResourceLogs []resourceLogs `json:"resourceLogs"`
	}
	resourceLogs struct {
		Resource  resource    `json:"resource"`
		ScopeLogs []scopeLogs `json:"scopeLogs"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeLogs struct {
		Scope      scope       `json:"scope"`
		LogRecords []logRecord `json:"logRecords"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	logRecord struct {
		Time       string      `json:"timeUnixNano"`
		Observed   string      `json:"observedTimeUnixNano"`
		Severity   int         `json:"severityNumber"`
		Text       string      `json:"severityText"`
		Event      string      `json:"eventName"`
		Body       value       `json:"body"`
		Attributes []attribute `json:"attributes"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
		Int    string  `json:"intValue,omitempty"`
		Array  *array  `json:"arrayValue,omitempty"`
	}
	array struct {
		Values []value `json:"values"`
	}
)

func text(s string) value { return value{String: &s} }

// attributes collects attributes. Empty ones are left out.
type attributes []attribute

func (a *attributes) text(key, s string) {
	if s != "" {
		*a = append(*a, attribute{key, text(s)})
	}
}

func (a *attributes) number(key string, n uint64) {
	*a = append(*a, attribute{key, value{Int: strconv.FormatUint(n, 10)}})
}

func (a *attributes) flag(key string, is bool) { *a = append(*a, attribute{key, value{Bool: &is}}) }

func (a *attributes) list(key string, all []string) {
	if len(all) == 0 {
		return
	}
	v := &array{}
	for _, s := range all {
		v.Values = append(v.Values, text(s))
	}
	*a = append(*a, attribute{key, value{Array: v}})
}

// logsOf makes logs of events: a resource for each workspace.
func logsOf(events []*Event, version string) *logs {
	out := &logs{}
	at := map[string]int{}
	for _, e := range events {
		i, ok := at[e.Workspace.ID]
		if !ok {
			i = len(out.ResourceLogs)
			at[e.Workspace.ID] = i
			var a attributes
			a.text("service.name", "emend")
			a.text("service.instance.id", e.Workspace.ID)
			a.text("emend.workspace.id", e.Workspace.ID)
			a.text("emend.workspace.name", e.Workspace.Name)
			a.list("emend.workspace.labels", e.Workspace.Labels)
			out.ResourceLogs = append(out.ResourceLogs, resourceLogs{resource{a}, []scopeLogs{{Scope: scope{"emend-hub", version}}}})
		}
		s := &out.ResourceLogs[i].ScopeLogs[0]
		s.LogRecords = append(s.LogRecords, logOf(e))
	}
	return out
}

// Severities of OpenTelemetry.
const (
	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
)

// maxListed limits the files that a log names. The record at the workspace has all.
const maxListed = 100

// logOf makes a log of an event. A tool call has the attributes of the conventions for the Model Context Protocol.
func logOf(e *Event) logRecord {
	out := logRecord{Time: nanos(e.Time), Observed: nanos(e.Arrived), Severity: severityInfo, Text: "INFO", Event: "emend." + e.Type}
	var a attributes
	a.text("emend.schema", e.Schema)
	a.text("emend.id", e.ID)
	a.number("emend.position", e.Position)
	if f := e.Finding; f != nil {
		if out.Severity, out.Text = severityWarn, "WARN"; f.Grave {
			out.Severity, out.Text = severityError, "ERROR"
		}
		out.Body = text(f.Text)
		a.text("emend.finding.kind", f.Kind)
		a.flag("emend.finding.grave", f.Grave)
		a.number("emend.record.epoch", uint64(f.Epoch))
		a.number("emend.record.seq", f.Seq)
		out.Attributes = a
		return out
	}
	r := e.Record
	if r.Kind == "failed" || r.Kind == "denied" {
		out.Severity, out.Text = severityWarn, "WARN"
	}
	out.Body = text(bodyOf(r))
	if r.Actor.Tool != "" {
		a.text("mcp.method.name", "tools/call")
		a.text("gen_ai.operation.name", "execute_tool")
		a.text("gen_ai.tool.name", r.Actor.Tool)
		a.text("gen_ai.tool.call.id", r.Actor.Call)
	}
	a.text("mcp.session.id", r.Actor.Session)
	a.text("gen_ai.agent.name", cmp.Or(r.Actor.Agent, r.Actor.Client))
	a.text("error.type", r.ErrorKind)
	a.text("emend.client", r.Actor.Client)
	a.text("emend.turn", r.Actor.Turn)
	a.text("emend.record.kind", r.Kind)
	a.number("emend.record.epoch", uint64(r.Epoch))
	a.number("emend.record.seq", r.Seq)
	a.text("emend.record.hash", r.Hash)
	a.text("emend.record.prev", r.Prev)
	a.text("emend.entry", r.Entry)
	a.flag("emend.ok", r.OK)
	a.flag("emend.withheld", r.Withheld)
	a.text("emend.policy.hash", r.PolicyHash)
	a.list("emend.undoes", r.Undoes)
	a.text("emend.command", r.Command)
	var paths []string
	for _, f := range r.Files[:min(len(r.Files), maxListed)] {
		paths = append(paths, f.Operation+" "+f.Path)
	}
	a.list("emend.files", paths)
	a.number("emend.file_count", uint64(len(r.Files)))
	out.Attributes = a
	return out
}

// bodyOf words a record.
func bodyOf(r *Record) string {
	words := []string{r.Kind}
	if r.Entry != "" {
		words = append(words, r.Entry)
	}
	if len(r.Files) > 0 {
		words = append(words, r.Files[0].Operation, r.Files[0].Path)
	}
	if len(r.Files) > 1 {
		words = append(words, fmt.Sprintf("and %d more", len(r.Files)-1))
	}
	if r.Message != "" {
		words = append(words, "("+r.Message+")")
	}
	return strings.Join(words, " ")
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
