package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/front/seal"
)

// formLifetime is how long a form is good.
const formLifetime = time.Hour

// seal is the token of one form: it lets this visit call a tool once, with exactly these arguments. The fields that are
// open are for the person to fill in.
func (r *request) seal(tool string, args url.Values, open ...string) string {
	free := strings.Join(open, ",")
	return free + "~" + r.site.issuer.Issue(r.login, r.ws.Name, tool, free, canonicalArguments(args, open))
}

// unseal takes the token of a form. It is not taken twice.
func (r *request) unseal(token, tool string, args url.Values) error {
	free, ticket, _ := strings.Cut(token, "~")
	var open []string
	if free != "" {
		open = strings.Split(free, ",")
	}
	return r.site.issuer.Redeem(ticket, r.login, r.ws.Name, tool, free, canonicalArguments(args, open))
}

// outcomeRefused is kept with a form that the tool refused; with one that was done, the address of what it did is.
const outcomeRefused = "refused"

// noteOutcome keeps what came of a form, and cameOf is what did.
func (r *request) noteOutcome(token, note string) { r.site.issuer.SetNote(sealTicket(token), note) }

func (r *request) outcomeOf(token string) string { return r.site.issuer.Note(sealTicket(token)) }

func sealTicket(token string) string {
	_, ticket, _ := strings.Cut(token, "~")
	return ticket
}

// canonicalArguments is arguments as one text, in which a field that is left empty is none.
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

var newIssuer = func() *seal.Issuer { return seal.New(formLifetime) }
