package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/emend-dev/emend/internal/front/gate"
)

// maxWrongTokens limits the wrong tokens a second that get the usual answer. Further ones get 429.
const maxWrongTokens = 5

// loginView is the data of the page "login".
type loginView struct {
	Next    string // where to go after signing in
	Problem string // with the last token
}

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	s.showBare(w, r, page{Name: "login", Title: "Sign in", Data: loginView{Next: nextAddress(r.URL.Query().Get("next"))}})
}

// nextAddress returns where to go after signing in, without a root: the session will have another one.
func nextAddress(address string) string { return withoutRoot(localAddress(Base, address)) }

// login checks the token and gives the browser a session, with a cookie and a root of its own. Only wrong tokens are limited: guessing keeps nobody with
// the right one waiting.
func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	form, refused := parseForm(w, r)
	if refused != nil {
		s.showBare(w, r, *refused)
		return
	}
	next := nextAddress(form.Get("next"))
	if !gate.SameToken(strings.TrimSpace(form.Get("token")), s.Token) {
		status, said := http.StatusUnauthorized, "This is not the token. It is the part of the address that emend printed after #token=."
		if !s.wrongTokens.Allow("") {
			status, said = http.StatusTooManyRequests, "Too many wrong tokens were sent. Wait for a second."
			w.Header().Set("Retry-After", "1")
		}
		s.Log.Log(r.Context(), s.warnings.Level("token"), "a wrong token was sent to the pages", "remote", r.RemoteAddr)
		s.showBare(w, r, page{Name: "login", Title: "Sign in", Status: status, Data: loginView{Next: next, Problem: said}})
		return
	}
	secret, root := s.logins.create()
	http.SetCookie(w, newCookie(r, secret, root))
	http.Redirect(w, r, root+strings.TrimPrefix(next, Base), http.StatusSeeOther)
}

// logout ends the browser's session.
func (s *Site) logout(w http.ResponseWriter, r *http.Request) {
	s.logins.delete(cookieSecret(r))
	gone := newCookie(r, "", loginOf(r).root)
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	http.Redirect(w, r, Base+"login", http.StatusSeeOther)
}

// localAddress returns an address of this site below root, or root if the address is anything else. It keeps redirects from
// leading to other sites.
func localAddress(root, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || !strings.HasPrefix(u.Path, root) ||
		path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") || strings.ContainsAny(address, "\\\x00\r\n") {
		return root
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}
