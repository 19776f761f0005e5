package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// toolPage returns the page that offers a tool, and its address. It is shown again if the tool refuses. A tool that no page
// offers has none.
func (r *request) toolPage(tool string) (show func(*request) (page, error), address string) {
	if _, ok := previews[tool]; ok {
		return (*request).confirm, r.ws.Page("confirm", tool)
	}
	if _, ok := answerTexts[tool]; ok {
		return (*request).waiting, r.ws.Page("waiting")
	}
	return nil, ""
}

// submit makes the call of a form, if the site has sealed the form for this browser.
func (s *Site) submit(w http.ResponseWriter, r *request) {
	name := r.PathValue("tool")
	if show, _ := r.toolPage(name); show == nil {
		s.show(w, r, notFoundPage("no such action", ""))
		return
	}
	if s.ReadOnly {
		s.show(w, r, errorPage(http.StatusForbidden, "these pages are read-only: emend was started with --read-only", "Start it without --read-only."))
		return
	}
	form, refused := parseForm(w, r.Request)
	if refused != nil {
		s.show(w, r, *refused)
		return
	}
	args, next := url.Values{}, form.Get("next")
	for field, values := range form {
		if field != "seal" && field != "next" {
			args[field] = values
		}
	}
	if err := r.unseal(form.Get("seal"), name, args); err != nil {
		s.show(w, r, r.sealErrorPage(err, form.Get("seal")))
		return
	}
	result := r.callAsConfirmed(name, args)
	if !result.OK() {
		r.noteOutcome(form.Get("seal"), outcomeRefused)
	} else {
		r.noteOutcome(form.Get("seal"), r.resultAddress(result, next))
	}
	switch {
	case wantsJSON(r.Request):
		r.sendResult(w, result)
	case !result.OK():
		s.show(w, r, r.refusedPage(name, args, result))
	default:
		http.Redirect(w, r.Request, r.resultAddress(result, next), http.StatusSeeOther)
	}
}

// sealErrorPage is the answer to a form whose seal is not accepted. If the form was sent before, as by a second click, the
// page says what that did.
func (r *request) sealErrorPage(err error, token string) page {
	if !errors.Is(err, seal.ErrUsed) {
		return errorPage(http.StatusForbidden, "the form was not accepted: "+err.Error(), "Open the page again, and check that it is still what you want.")
	}
	p := errorPage(http.StatusConflict, "this form was already sent", "")
	w := p.Data.(errorView)
	switch note := r.outcomeOf(token); note {
	case "":
		w.List[0].Next = "It may still be running. The result will be in the timeline."
	case outcomeRefused:
		w.List[0].Next = "It was refused, and nothing was changed. Open the page again to see why."
	default:
		w.Title, w.To = "Already done", &link{"Show the result", note}
	}
	p.Title, p.Data = w.Title, w
	return p
}

// callTool calls a tool in the person's name.
func (r *request) callTool(name string, args url.Values) api.Result {
	t, _ := tool.People.Named(name)
	text, err := toolArguments(t.Input(), args)
	if err != nil {
		return report.New(report.View{}, nil, err)
	}
	return tool.Options{Profile: tool.People, ReadOnly: r.site.ReadOnly}.Call(r.personContext(), r.ws.Workspace, name, text)
}

// personContext is the context for calls in the person's name. The person has seen what the call does and pressed the button,
// so where a policy asks before a write, that is the answer.
func (r *request) personContext() context.Context {
	ctx := emend.WithAnsweredBy(r.Context(), api.AnsweredByPage)
	ctx = emend.WithActor(ctx, api.Actor{Client: "emend ui", Agent: api.PersonAgent, Session: r.login.name})
	return emend.WithAsker(ctx, func(_ context.Context, q api.Question) (by string, err error) {
		for _, a := range q.Paths {
			if !a.Write {
				return "", errors.New("what may be read on asking only is not shown on a page")
			}
		}
		return api.AnsweredByPage, nil
	})
}

// refusedPage shows why a tool refused, and what it would do now.
func (r *request) refusedPage(name string, args url.Values, result api.Result) page {
	show, address := r.toolPage(name)
	asked := *r
	asked.Request = r.Clone(r.Context())
	asked.Method, asked.Body, asked.URL.RawQuery = http.MethodGet, http.NoBody, args.Encode()
	asked.SetPathValue("tool", name)
	asked.URL.Path, asked.URL.RawPath = address, "" // the page's links are made from it, and opened by GET
	asked.refusal = result
	p, err := show(&asked)
	if err != nil {
		return r.errorPageOf(err)
	}
	p.Status = http.StatusConflict
	return p
}

// resultAddress returns the page that shows the result: the one that the form names, or that of the new change.
func (r *request) resultAddress(result api.Result, next string) string {
	root := r.ws.Page()
	if next != "" {
		return localAddress(root, next)
	}
	if o, ok := result.(*report.Object); ok && o.Meta != nil && o.Meta.Tx != "" {
		return root + "change/" + url.PathEscape(o.Meta.Tx) + "?done=1"
	}
	return root
}

// toolArguments makes the JSON arguments of a tool from the fields of a form. Empty fields are left out. A value of the wrong
// type is passed on, for the tool to refuse in its own words.
func toolArguments(s *jsonschema.Schema, fields url.Values) (json.RawMessage, error) {
	out := map[string]any{}
	for name, values := range fields {
		var filled []string
		for _, v := range values {
			if v != "" {
				filled = append(filled, v)
			}
		}
		if len(filled) == 0 {
			continue
		}
		property := s.Properties[name]
		if property != nil && property.Type == "array" {
			out[name] = typedAll(property.Items, filled)
			continue
		}
		if len(filled) > 1 {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("the form has %s twice", fail.Quote(name))}
		}
		out[name] = typed(property, filled[0])
	}
	return json.Marshal(out)
}

func typedAll(s *jsonschema.Schema, texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = typed(s, text)
	}
	return out
}

// typed converts a text to the type that a schema wants, if it can.
func typed(s *jsonschema.Schema, text string) any {
	if s == nil {
		return text
	}
	switch s.Type {
	case "boolean":
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case "integer":
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return text
}
