package pages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/out"
	"github.com/emend-dev/emend/hub/wire"
)

// apiBase is the path of the API. It takes a token in the Authorization header and no cookie, so no web page can use a browser's.
const apiBase = "/api/v1/"

// maxBody bounds the body of a request.
const maxBody = 1 << 20

// apiRoutes registers the API: what the pages show by GET, and each act by POST.
func (s *Site) apiRoutes() {
	for path, h := range map[string]func(*request) (any, error){
		"fleet":              (*request).apiFleet,
		"timeline":           (*request).apiTimeline,
		"entry/{ws}/{entry}": (*request).apiEntry,
		"sessions":           (*request).apiSessions,
		"findings":           (*request).apiFindings,
		"waiting":            func(r *request) (any, error) { return list(r.questions()) },
		"policy":             (*request).apiPolicy,
		"stops":              (*request).apiStops,
		"acts":               (*request).apiActs,
		"verify":             (*request).apiVerify,
		"tokens":             (*request).apiTokens,
	} {
		s.mux.HandleFunc("GET "+apiBase+path, s.apiHandler(h))
	}
	s.mux.HandleFunc("POST "+apiBase+"preview", s.apiHandler((*request).apiPreview))
	s.mux.HandleFunc("POST "+apiBase+"do/{act}", s.apiHandler((*request).apiDo))
	s.mux.HandleFunc("GET "+apiBase+"events", s.eventLines)
	s.mux.HandleFunc("GET "+apiBase+"schema", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/schema+json")
		w.Write(out.Schema) //nolint:errcheck // the client is gone
	})
	s.mux.HandleFunc(apiBase, func(w http.ResponseWriter, r *http.Request) { apiError(w, http.StatusNotFound, "no such resource") })
}

// list makes an empty list of none, which JSON has as [] and not as null.
func list[T any](all []T, err error) (any, error) {
	if all == nil {
		all = []T{}
	}
	return all, err
}

// caller returns who makes a request of the API. If nobody may, it has answered.
func (s *Site) caller(w http.ResponseWriter, r *http.Request) (who control.Person, ok bool) {
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		apiError(w, http.StatusUnauthorized, "send a token: Authorization: Bearer TOKEN")
		return who, false
	}
	who, err := s.Control.Authenticate(r.Context(), secret)
	if err != nil {
		status := statusOf(err)
		if errors.Is(err, control.ErrToken) && !s.wrongTokens.Allow("") {
			w.Header().Set("Retry-After", "1")
			status = http.StatusTooManyRequests
		}
		apiError(w, status, err.Error())
		return who, false
	}
	return who, true
}

// eventLines sends the events behind a position as JSON Lines; with follow=true also those that come.
func (s *Site) eventLines(w http.ResponseWriter, r *http.Request) {
	who, ok := s.caller(w, r)
	if !ok {
		return
	}
	after, err := strconv.ParseUint(cmp.Or(r.URL.Query().Get("after"), "0"), 10, 64)
	if err != nil {
		apiError(w, http.StatusBadRequest, "after is no number")
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	ctl := http.NewResponseController(w)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
	err = (&out.Source{Broker: s.Broker, Index: s.Index}).Read(r.Context(), after, r.URL.Query().Get("follow") == "true", func(ev *out.Event) error {
		if !who.Sees(ev.Workspace.Labels) {
			return nil
		}
		ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // as above
		return e.Encode(ev)
	}, func(uint64) error {
		if _, err := s.Control.Holder(r.Context(), who.Token); err != nil { // revoked meanwhile
			return err
		}
		return ctl.Flush()
	})
	if err != nil && r.Context().Err() == nil {
		s.Log.Warn("events could not be sent", "error", err)
		panic(http.ErrAbortHandler) // so that the client sees that it has not got all
	}
}

// apiHandler makes an HTTP handler of a function that returns a value to be sent as JSON.
func (s *Site) apiHandler(h func(*request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.caller(w, r)
		if !ok {
			return
		}
		var err error
		req := &request{Request: r, site: s, who: who, root: "/"}
		if req.f, err = s.fleetFor(r.Context(), who); err == nil {
			var v any
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			if v, err = h(req); err == nil {
				sendJSON(w, http.StatusOK, v)
				return
			}
		}
		status := statusOf(err)
		if bad, ok := errors.AsType[badRequest](err); ok {
			status = bad.status
		}
		apiError(w, status, err.Error())
	}
}

// badRequest is an error of a request that cannot be read.
type badRequest struct {
	status int
	text   string
}

func (e badRequest) Error() string { return e.text }

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"a defect in emend-hub"}`)
	}
	w.WriteHeader(status)
	w.Write(append(data, '\n')) //nolint:errcheck // the client is gone
}

func apiError(w http.ResponseWriter, status int, text string) {
	sendJSON(w, status, map[string]string{"error": text})
}

// body reads the JSON of a request: an object of strings, numbers and booleans, as a form has them.
func (r *request) body() (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, badRequest{http.StatusUnsupportedMediaType, "send JSON: Content-Type: application/json"}
	}
	var in map[string]any
	d := json.NewDecoder(r.Body)
	d.UseNumber()
	if err := d.Decode(&in); err != nil {
		return nil, badRequest{http.StatusBadRequest, "the body is no JSON object: " + err.Error()}
	}
	out := url.Values{}
	for name, v := range in {
		switch v := v.(type) {
		case string:
			out.Set(name, v)
		case bool:
			out.Set(name, strconv.FormatBool(v))
		case json.Number:
			out.Set(name, v.String())
		case []any:
			var words []string
			for _, w := range v {
				words = append(words, fmt.Sprint(w))
			}
			out.Set(name, strings.Join(words, ","))
		case map[string]any: // a signed pack
			text, _ := json.Marshal(v) // it was JSON
			out.Set(name, string(text))
		default:
			return nil, badRequest{http.StatusBadRequest, fmt.Sprintf("%q has a value of no known type", name)}
		}
	}
	return out, nil
}

func (r *request) apiDo() (any, error) {
	do := acts[r.PathValue("act")]
	if do == nil {
		return nil, errNotFound
	}
	args, err := r.body()
	if err != nil {
		return nil, err
	}
	d, err := do(r.site, r.Context(), r.who, args)
	r.site.forget()
	if err != nil {
		return nil, err
	}
	return struct {
		Text    string           `json:"text"`
		Secret  string           `json:"secret,omitempty"`
		Results []control.Result `json:"results,omitempty"`
	}{d.Text, d.Secret, d.Results}, nil
}

func (r *request) apiPreview() (any, error) {
	args, err := r.body()
	if err != nil {
		return nil, err
	}
	if _, err := r.member(args.Get("workspace")); err != nil {
		return nil, err
	}
	return r.site.Control.Preview(r.Context(), r.who, args.Get("workspace"), wire.Undo{Entry: args.Get("entry"), Session: args.Get("session"), SkipConflicts: args.Get("skip") == "true"})
}

// apiSpace is a workspace in the API.
type apiSpace struct {
	wire.Member
	State      state          `json:"state"`
	Why        string         `json:"whyState,omitempty"`
	Chain      chain.State    `json:"chain"`
	Repository string         `json:"repository,omitempty"`
	Wanted     *wire.PackName `json:"wantedPack,omitempty"`
	Presence   *wire.Presence `json:"presence,omitempty"`
}

func (r *request) apiFleet() (any, error) {
	out := []apiSpace{}
	for _, sp := range r.f.spaces {
		out = append(out, apiSpace{sp.Member, sp.State(), sp.Why(), sp.Index.State, sp.Index.Repository, sp.Wanted, sp.Presence})
	}
	return out, nil
}

// apiEntryData is an entry in the API.
type apiEntryData struct {
	Workspace string      `json:"workspace"`
	Name      string      `json:"workspaceName"`
	Entry     string      `json:"entry"`
	At        time.Time   `json:"at"`
	Arrived   time.Time   `json:"arrived"`
	Epoch     int         `json:"epoch"`
	Void      bool        `json:"void,omitempty"`
	Outcome   api.Outcome `json:"outcome"`
	UndoneBy  string      `json:"undoneBy,omitempty"`
	Record    *api.Record `json:"record"`
}

func (r *request) apiEntryOf(e *index.Entry) apiEntryData {
	out := apiEntryData{Workspace: e.Workspace, Entry: e.Name(), At: e.At, Arrived: e.Arrived, Epoch: e.Epoch, Void: e.Void, Outcome: e.Outcome, UndoneBy: e.UndoneBy, Record: e.Record}
	if sp := r.f.byID[e.Workspace]; sp != nil {
		out.Name = sp.Name
	}
	return out
}

func (r *request) apiTimeline() (any, error) {
	query, problems := r.filterOf(r.URL.Query())
	for name, text := range problems {
		return nil, badRequest{http.StatusBadRequest, name + ": " + text}
	}
	query.Limit, _ = strconv.Atoi(r.URL.Query().Get("limit"))
	query.Limit = min(query.Limit, 1000)
	found, err := r.site.Index.Find(r.Context(), query)
	if err != nil {
		return nil, err
	}
	entries := []apiEntryData{}
	for i := range found.Entries {
		entries = append(entries, r.apiEntryOf(&found.Entries[i]))
	}
	out := map[string]any{"entries": entries, "looked": found.Looked}
	if found.Next > 0 {
		out["before"] = strconv.FormatInt(found.Next, 10) // a string: JavaScript has no numbers of 64 bits
	}
	return out, nil
}

func (r *request) apiEntry() (any, error) {
	sp, err := r.member(r.PathValue("ws"))
	if err != nil {
		return nil, err
	}
	name := r.PathValue("entry")
	if !strings.Contains(name, "-") {
		name = "#" + name
	}
	e, err := r.site.Index.Entry(r.Context(), sp.ID, name)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, errNotFound
	}
	out := map[string]any{"entry": r.apiEntryOf(e), "line": string(e.Record.Line)}
	if d, err := r.site.Broker.Diffs(r.Context(), sp.ID, e.Record.Seq); err == nil && d != nil && d.H == e.Record.H {
		out["files"] = d.Files
	}
	return out, nil
}

func (r *request) apiSessions() (any, error) {
	query, _ := r.filterOf(r.URL.Query())
	all, next, err := r.site.Index.Sessions(r.Context(), query.Workspaces, r.URL.Query().Get("before"), 100)
	if err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, s := range all {
		out = append(out, map[string]any{"workspace": s.Workspace, "session": s.Name, "agent": s.Agent, "client": s.Client, "first": s.First, "last": s.Last, "calls": s.Calls, "refused": s.Refused})
	}
	return map[string]any{"sessions": out, "more": next != "", "before": next}, nil
}

func (r *request) apiFindings() (any, error) {
	return list(r.site.Index.Findings(r.Context(), r.f.names(nil), r.URL.Query().Get("grave") == "true", 1000))
}

func (r *request) apiPolicy() (any, error) {
	packs, err := r.site.Control.Packs(r.Context())
	if err != nil {
		return nil, err
	}
	rollouts, err := r.site.Control.Rollouts(r.Context())
	if err != nil {
		return nil, err
	}
	outPacks, outRollouts := []map[string]any{}, []map[string]any{}
	for _, p := range packs {
		outPacks = append(outPacks, map[string]any{"name": p.Name, "version": p.Version, "at": p.At, "policy": p.Policy, "note": p.Note, "by": p.By})
	}
	for _, a := range rollouts {
		outRollouts = append(outRollouts, map[string]any{"label": a.Rollout.Label, "pack": a.Rollout.Pack, "by": a.By, "at": a.At})
	}
	return map[string]any{"packs": outPacks, "rollouts": outRollouts}, nil
}

func (r *request) apiActs() (any, error) {
	before, _ := strconv.ParseUint(r.URL.Query().Get("before"), 10, 64)
	all, err := r.site.Control.Acts(r.Context(), before, 1000)
	out := []control.Act{}
	for i := range all {
		if r.sees(&all[i]) {
			out = append(out, r.visible(all[i]))
		}
	}
	return out, err
}

// visible leaves out the hash of a token, and what workspaces replied that the person may not see.
func (r *request) visible(a control.Act) control.Act {
	if a.Token != nil {
		t := *a.Token
		t.Hash = ""
		a.Token = &t
	}
	var results []control.Result
	for _, res := range a.Results {
		if r.f.byID[res.Workspace] != nil {
			results = append(results, res)
		}
	}
	a.Results = results
	return a
}

func (r *request) apiStops() (any, error) {
	all, err := r.site.Control.Stops(r.Context())
	out := []control.Act{}
	for i := range all {
		if r.sees(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out, err
}

func (r *request) apiVerify() (any, error) {
	v, err := r.site.Control.Verify(r.Context(), api.Head{})
	if err != nil {
		return nil, err
	}
	return map[string]any{"acts": v.Acts, "head": v.Head}, nil
}

func (r *request) apiTokens() (any, error) {
	if !r.rules() {
		return nil, control.ErrRole
	}
	all, err := r.site.Control.Tokens(r.Context())
	out := []control.Token{}
	for _, t := range all {
		t.Hash = ""
		out = append(out, t)
	}
	return out, err
}
