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
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// offered are the tools that pages offer, each with the page that is shown again when it refuses.
var offered = map[string]func(*request) (page, error){
	"undo":         (*request).confirm,
	"restore_file": (*request).confirm,
	"put_back":     (*request).confirm,
	"clear_trash":  (*request).confirm,
	"purge":        (*request).confirm,
	"recover":      (*request).confirm,
	"allow":        (*request).waiting,
	"deny":         (*request).waiting,
}

// do calls a tool, as a form says that this site has made for this visit.
func (s *Site) do(w http.ResponseWriter, r *request) {
	name := r.PathValue("tool")
	again, ok := offered[name]
	if !ok {
		s.show(w, r, missing("nothing of this name can be done here", ""))
		return
	}
	if s.ReadOnly {
		s.show(w, r, plainly(http.StatusForbidden, "nothing can be changed from these pages: emend was started with --read-only", "Start it without --read-only."))
		return
	}
	form, no := formOf(w, r.Request)
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
		s.show(w, r, r.stale(err, form.Get("seal")))
		return
	}
	result := r.asShown(name, args)
	if !result.OK() {
		r.came(form.Get("seal"), refusedNote)
		s.show(w, r, r.again(again, name, args, result))
		return
	}
	to := r.after(result, next)
	r.came(form.Get("seal"), to)
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
}

// stale is the page of a form whose token is not taken. One that was sent before, as by a second click, says what came of it.
func (r *request) stale(err error, token string) page {
	if !errors.Is(err, seal.ErrUsed) {
		return plainly(http.StatusForbidden, "this form is not taken: "+err.Error(), "Open the page again, and look whether it is still what you want.")
	}
	p := plainly(http.StatusConflict, "this form was sent before, and is done once", "")
	w := p.Data.(wrongs)
	switch note := r.cameOf(token); note {
	case "":
		w.List[0].Next = "It may still be at work: what it did will be in the timeline."
	case refusedNote:
		w.List[0].Next = "It was refused then, and nothing was changed. Open the page again to see why, and what it would do now."
	default:
		w.Title, w.To = "That is done already", &link{"See what it did", note}
	}
	p.Title, p.Data = w.Title, w
	return p
}

// call makes the call, as a person's.
func (r *request) call(name string, args url.Values) emend.Result {
	t, _ := tool.People.Named(name)
	text, err := arguments(t.Input(), args)
	if err != nil {
		return report.Of(report.View{}, nil, err)
	}
	return tool.Options{Profile: tool.People, ReadOnly: r.site.ReadOnly}.Call(r.person(), r.space.Workspace, name, text)
}

// person is the context of a call that the person of this visit makes. Where a policy wants a person to be asked before a file
// is written, they are: they see what would happen, and press the button.
func (r *request) person() context.Context {
	ctx := emend.As(r.Context(), emend.Actor{Client: "emend ui", Agent: "person", Session: r.visit})
	return emend.Asking(ctx, func(_ context.Context, q emend.Question) (by string, err error) {
		for _, a := range q.Paths {
			if !a.Write {
				return "", errors.New("what may be read on asking only is not shown on a page")
			}
		}
		return "page", nil
	})
}

// again is the page that shows why a tool refused, and what it would do now.
func (r *request) again(h func(*request) (page, error), name string, args url.Values, result emend.Result) page {
	asked := *r
	asked.Request = r.Clone(r.Context())
	asked.Method, asked.Body, asked.URL.RawQuery = http.MethodGet, http.NoBody, args.Encode()
	asked.SetPathValue("tool", name)
	asked.URL.Path, asked.URL.RawPath = r.space.Page("waiting"), "" // where its own links lead, which are opened by GET
	if _, ok := deeds[name]; ok {
		asked.URL.Path = r.space.Page("confirm", name)
	}
	asked.refused = result
	p, err := h(&asked)
	if err != nil {
		return r.wrong(err)
	}
	p.Status = http.StatusConflict
	return p
}

// after is where the result is seen: on the page that the form names, or as the new change.
func (r *request) after(result emend.Result, next string) string {
	root := Base + r.space.Name + "/"
	if next != "" {
		return below(root, next)
	}
	if o, ok := result.(*report.Object); ok && o.Meta != nil && o.Meta.Tx != "" {
		return root + "change/" + url.PathEscape(o.Meta.Tx) + "?done=1"
	}
	return root
}

// arguments are the fields of a form as the JSON that a tool takes. A field that is left empty is none; what does not fit is
// passed on as it is, for the tool to refuse in its own words.
func arguments(s *jsonschema.Schema, fields url.Values) (json.RawMessage, error) {
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
			out[name] = each(is.Items, filled)
			continue
		}
		if len(filled) > 1 {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("the form has %s twice", fail.Quote(name))}
		}
		out[name] = typed(is, filled[0])
	}
	return json.Marshal(out)
}

func each(s *jsonschema.Schema, texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = typed(s, text)
	}
	return out
}

// typed is a text as the type that a schema wants.
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
