package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// offeredTools are the tools that pages offer. If one refuses, its page is shown again.
var offeredTools = map[string]func(*request) (page, error){
	"undo":         (*request).confirm,
	"restore_file": (*request).confirm,
	"put_back":     (*request).confirm,
	"clear_trash":  (*request).confirm,
	"purge":        (*request).confirm,
	"recover":      (*request).confirm,
	"allow":        (*request).waiting,
	"deny":         (*request).waiting,
}

// submit makes the call of a form, if the site has sealed the form for this browser.
func (s *Site) submit(w http.ResponseWriter, r *request) {
	name := r.PathValue("tool")
	again, ok := offeredTools[name]
	if !ok {
		s.show(w, r, notFoundPage("nothing of this name can be done here", ""))
		return
	}
	if s.ReadOnly {
		s.show(w, r, errorPage(http.StatusForbidden, "nothing can be changed from these pages: emend was started with --read-only", "Start it without --read-only."))
		return
	}
	form, no := parseForm(w, r.Request)
	if no != nil {
		s.show(w, r, *no)
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
		s.show(w, r, r.refusedPage(again, name, args, result))
		return
	}
	to := r.resultAddress(result, next)
	r.noteOutcome(form.Get("seal"), to)
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
}

// sealErrorPage is the answer to a form whose seal is not accepted. If the form was sent before, as by a second click, the
// page says what that did.
func (r *request) sealErrorPage(err error, token string) page {
	if !errors.Is(err, seal.ErrUsed) {
		return errorPage(http.StatusForbidden, "this form is not taken: "+err.Error(), "Open the page again, and look whether it is still what you want.")
	}
	p := errorPage(http.StatusConflict, "this form was sent before, and is done once", "")
	w := p.Data.(errorView)
	switch note := r.outcomeOf(token); note {
	case "":
		w.List[0].Next = "It may still be at work: what it did will be in the timeline."
	case outcomeRefused:
		w.List[0].Next = "It was refused then, and nothing was changed. Open the page again to see why, and what it would do now."
	default:
		w.Title, w.To = "That is done already", &link{"See what it did", note}
	}
	p.Title, p.Data = w.Title, w
	return p
}

// callTool calls a tool in the person's name.
func (r *request) callTool(name string, args url.Values) emend.Result {
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
	ctx := emend.As(r.Context(), emend.Actor{Client: "emend ui", Agent: "person", Session: r.login})
	return emend.Asking(ctx, func(_ context.Context, q emend.Question) (by string, err error) {
		for _, a := range q.Paths {
			if !a.Write {
				return "", errors.New("what may be read on asking only is not shown on a page")
			}
		}
		return "page", nil
	})
}

// refusedPage shows why a tool refused, and what it would do now.
func (r *request) refusedPage(h func(*request) (page, error), name string, args url.Values, result emend.Result) page {
	asked := *r
	asked.Request = r.Clone(r.Context())
	asked.Method, asked.Body, asked.URL.RawQuery = http.MethodGet, http.NoBody, args.Encode()
	asked.SetPathValue("tool", name)
	asked.URL.Path, asked.URL.RawPath = r.ws.Page("waiting"), "" // the page's links are made from it, and opened by GET
	if _, ok := previews[name]; ok {
		asked.URL.Path = r.ws.Page("confirm", name)
	}
	asked.refusal = result
	p, err := h(&asked)
	if err != nil {
		return r.errorPageOf(err)
	}
	p.Status = http.StatusConflict
	return p
}

// resultAddress is where the result is shown: on the page that the form names, or as the new change.
func (r *request) resultAddress(result emend.Result, next string) string {
	root := Base + r.ws.Name + "/"
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
		is := s.Properties[name]
		if is != nil && is.Type == "array" {
			out[name] = typedAll(is.Items, filled)
			continue
		}
		if len(filled) > 1 {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("the form has %s twice", fail.Quote(name))}
		}
		out[name] = typed(is, filled[0])
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
