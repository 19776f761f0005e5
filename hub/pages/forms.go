package pages

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/front/web"

	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/wire"
)

// form is a form that does an act, once, with exactly the fields that the server made.
type form struct {
	Action, Seal, Next string
	Fields             []field
}

type field struct{ Name, Value string }

// form makes a form. The person fills in the open fields. next is the page that is shown then.
func (r *request) form(act, next string, fields []string, open ...string) *form {
	f := &form{Action: r.to("do/" + act), Next: next}
	args := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		args.Set(fields[i], fields[i+1])
		f.Fields = append(f.Fields, field{fields[i], fields[i+1]})
	}
	f.Seal = web.SealForm(r.site.issuer, []string{r.login, act}, args, open...)
	return f
}

// done is the outcome of an act: the words for the page that is shown next, and the results of workspaces.
type done struct {
	Text    string
	Secret  string // shown once, and never in an address
	Results []control.Result
	Next    string // instead of the page that the form names
}

// acts are what forms and the API can do.
var acts = map[string]func(*Site, context.Context, control.Person, url.Values) (*done, error){
	"answer": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		allow := f.Get("allow") == "true"
		res, err := s.Control.Answer(ctx, who, f.Get("workspace"), wire.Answer{ID: f.Get("id"), Digest: f.Get("digest"), Allow: allow, Session: f.Get("session") == "true", Reason: f.Get("reason")})
		if err != nil {
			return nil, err
		}
		text := "Denied. The agent gets the reason."
		if allow {
			text = "Allowed. The call continues."
		}
		return replied(res, text)
	},
	"undo": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		res, err := s.Control.Undo(ctx, who, f.Get("workspace"), wire.Undo{Entry: f.Get("entry"), Session: f.Get("session"), SkipConflicts: f.Get("skip") == "true", Effect: f.Get("effect")})
		if err != nil {
			return nil, err
		}
		return replied(res, "Undone.")
	},
	"stop": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		res, err := s.Control.Stop(ctx, who, stopOf(f))
		return many(res, "Stopped.", err)
	},
	"resume": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		res, err := s.Control.Resume(ctx, who, stopOf(f))
		return many(res, "Resumed.", err)
	},
	"publish": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		var signed wire.SignedPack
		if err := json.Unmarshal([]byte(f.Get("pack")), &signed); err != nil {
			return nil, errors.New(`this is no signed policy pack: "emend-hub policy sign" writes one`)
		}
		p, err := s.Control.Publish(ctx, who, &signed)
		if err != nil {
			return nil, err
		}
		return &done{Text: "Published " + p.ID().String() + "."}, nil
	},
	"rollout": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		version, err := strconv.ParseUint(f.Get("version"), 10, 64)
		if err != nil {
			return nil, errors.New("the version is no number")
		}
		res, err := s.Control.RollOut(ctx, who, control.Rollout{Label: f.Get("label"), Pack: wire.PackName{Name: f.Get("pack"), Version: version}})
		return many(res, "Rolled out.", err)
	},
	"issue": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		role, err := control.ParseRole(f.Get("role"))
		if err != nil {
			return nil, err
		}
		t := control.Token{Name: f.Get("name"), Role: role, Labels: splitLabels(f.Get("labels"))}
		if days := f.Get("days"); days != "" {
			n, err := strconv.Atoi(days)
			if err != nil || n < 1 || n > 3650 {
				return nil, errors.New("a token is good for 1 to 3,650 days, or for ever")
			}
			t.Expires = time.Now().AddDate(0, 0, n).UTC()
		}
		secret, _, err := s.Control.Issue(ctx, who, t)
		return &done{Text: "This token is shown once. Give it to " + t.Name + ".", Secret: secret}, err
	},
	"revoke": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		return &done{Text: "Revoked."}, s.Control.RevokeToken(ctx, who, f.Get("token"))
	},
	"invite": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		uses, err := strconv.Atoi(f.Get("uses"))
		if err != nil || uses < 1 || uses > 100_000 {
			return nil, errors.New("an invitation is for 1 to 100,000 workspaces")
		}
		hours, err := strconv.Atoi(f.Get("hours"))
		if err != nil || hours < 1 || hours > 24*365 {
			return nil, errors.New("an invitation is good for 1 to 8,760 hours")
		}
		i, err := s.Control.Invite(ctx, who, s.URL, s.Own, wire.Invitation{Name: f.Get("name"), Labels: splitLabels(f.Get("labels")), Uses: uses, Expires: time.Now().Add(time.Duration(hours) * time.Hour).UTC()})
		return &done{Text: "This invitation is shown once. In a workspace, run: emend-hub join INVITATION", Secret: i.String()}, err
	},
	"member": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		return &done{Text: "Changed."}, s.Control.SetMember(ctx, who, f.Get("workspace"), f.Get("name"), splitLabels(f.Get("labels")))
	},
	"expel": func(s *Site, ctx context.Context, who control.Person, f url.Values) (*done, error) {
		return &done{Text: "Revoked. It cannot connect any more."}, s.Control.Expel(ctx, who, f.Get("workspace"), f.Get("reason"))
	},
}

func stopOf(f url.Values) control.Stop {
	return control.Stop{Workspace: f.Get("workspace"), Label: f.Get("label"), Reason: f.Get("reason")}
}

func splitLabels(s string) []string { return strings.Split(s, ",") }

// replied returns the outcome of an act to which one workspace replied.
func replied(r control.Result, text string) (*done, error) {
	switch {
	case r.Away:
		return nil, errors.New("the workspace is not there, so nothing was done")
	case !r.OK:
		return nil, fmt.Errorf("the workspace refused: %s", r.Text)
	}
	return &done{Text: text, Results: []control.Result{r}}, nil
}

// many says what several workspaces replied.
func many(results []control.Result, text string, err error) (*done, error) {
	if err != nil {
		return nil, err
	}
	var ok, away, refused int
	for _, r := range results {
		switch {
		case r.OK:
			ok++
		case r.Away:
			away++
		default:
			refused++
		}
	}
	text += " " + web.Plural(ok, "workspace") + " confirmed it at once."
	if away > 0 {
		text += " " + web.Plural(away, "workspace") + " not there now: done when back."
	}
	if refused > 0 {
		text += " " + web.Plural(refused, "workspace") + " refused: see Acts."
	}
	return &done{Text: text, Results: results}, nil
}

// submit does the act of a form, if the site sealed the form for this browser.
func (s *Site) submit(w http.ResponseWriter, r *http.Request) {
	req := s.request(r)
	name := r.PathValue("act")
	do := acts[name]
	switch {
	case req.root == "":
		s.stranger(w, req)
		return
	case do == nil:
		s.show(w, req, errorPage(http.StatusNotFound, "no such act", ""))
		return
	}
	sent, refused := web.ParseForm(w, r)
	if refused != nil {
		s.show(w, req, errorPage(refused.Status, refused.Text, refused.Next))
		return
	}
	args := url.Values{}
	for field, values := range sent {
		switch {
		case field == "seal" || field == "next":
		case len(values) != 1:
			s.show(w, req, errorPage(http.StatusBadRequest, "the form has a field twice", "Open the page again."))
			return
		default:
			args[field] = values
		}
	}
	if err := web.UnsealForm(s.issuer, sent.Get("seal"), []string{req.login, name}, args); err != nil {
		status, next := http.StatusForbidden, "Open the page again, and check that it is still what you want."
		if errors.Is(err, seal.ErrUsed) {
			status, next = http.StatusConflict, "Acts shows what was done."
		}
		s.show(w, req, errorPage(status, "the form was not accepted: "+err.Error(), next))
		return
	}
	d, err := do(s, r.Context(), req.who, args)
	s.forget()
	if err != nil {
		s.show(w, req, s.errorPageOf(err))
		return
	}
	next := web.LocalAddress(req.root, sent.Get("next"))
	if d.Secret != "" { // not in an address, which browsers keep
		s.show(w, req, page{Name: "secret", Title: "Shown once", Data: secretView{d.Text, d.Secret, next}})
		return
	}
	http.Redirect(w, r, addQuery(next, "done", s.keepFlash(d.Text)), http.StatusSeeOther)
}

// maxFlashes bounds the messages that wait to be shown.
const maxFlashes = 1000

// keepFlash keeps a message for the next page. The address has its number only, so that no link can make a page say anything.
func (s *Site) keepFlash(text string) string {
	id := strings.ToLower(rand.Text()[:12])
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.flashes) >= maxFlashes {
		clear(s.flashes)
	}
	s.flashes[id] = text
	return id
}

// flash returns the message of what was done; "" if there is none.
func (r *request) flash() string {
	r.site.mu.Lock()
	defer r.site.mu.Unlock()
	return r.site.flashes[r.URL.Query().Get("done")]
}

// secretView is the data of the page "secret".
type secretView struct{ Text, Secret, Back string }

// addQuery adds a value to the query of an address.
func addQuery(address, name, value string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
