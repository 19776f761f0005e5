package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/front/seal"
)

// formLifetime limits the time between opening a form and sending it.
const formLifetime = time.Hour

// seal returns the token of a form. It lets this browser call a tool once, with exactly these arguments. The person fills in
// the open fields.
func (r *request) seal(tool string, args url.Values, open ...string) string {
	return SealForm(r.site.issuer, []string{r.login.name, r.ws.Name, tool}, args, open...)
}

// unseal redeems the token of a form. A token can be redeemed once.
func (r *request) unseal(token, tool string, args url.Values) error {
	return UnsealForm(r.site.issuer, token, []string{r.login.name, r.ws.Name, tool}, args)
}

// SealForm returns the token of a form. It is good once, for what the words name and for exactly these arguments. The person fills in the
// open fields.
func SealForm(issuer *seal.Issuer, what []string, args url.Values, open ...string) string {
	free := strings.Join(open, ",")
	return free + "~" + issuer.Issue(append(slices.Clone(what), free, canonicalArguments(args, open))...)
}

// UnsealForm redeems what [SealForm] returned.
func UnsealForm(issuer *seal.Issuer, token string, what []string, args url.Values) error {
	free, ticket, _ := strings.Cut(token, "~")
	var open []string
	if free != "" {
		open = strings.Split(free, ",")
	}
	return issuer.Redeem(ticket, append(slices.Clone(what), free, canonicalArguments(args, open))...)
}

// outcomeRefused is the outcome of a form that the tool refused. The outcome of any other is the address that shows what it
// did.
const outcomeRefused = "refused"

// noteOutcome notes the outcome of a form.
func (r *request) noteOutcome(token, note string) { r.site.issuer.SetNote(sealTicket(token), note) }

// outcomeOf returns the outcome of a form, or "" if it is not known yet.
func (r *request) outcomeOf(token string) string { return r.site.issuer.Note(sealTicket(token)) }

func sealTicket(token string) string {
	_, ticket, _ := strings.Cut(token, "~")
	return ticket
}

// canonicalArguments writes arguments as one text. An empty field is the same as none.
func canonicalArguments(args url.Values, open []string) string {
	kept := url.Values{}
	for name, values := range args {
		if slices.Contains(open, name) {
			continue
		}
		for _, v := range values {
			if v != "" {
				kept.Add(name, v)
			}
		}
	}
	return kept.Encode()
}

// NewIssuer returns an issuer of the tokens of forms.
func NewIssuer() *seal.Issuer { return seal.New(formLifetime) }
