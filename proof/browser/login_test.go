package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestComeIn opens the printed address. The token must leave the address bar, and no requested address may contain it.
func TestComeIn(t *testing.T) {
	s := shop(t).ui()
	b := s.pages(t)
	b.until("the token is gone from the address", `location.hash === "" && !location.href.includes("token")`)
	for _, at := range b.asked() {
		if strings.Contains(at, s.token) {
			t.Errorf("the token is in an address that was asked for: %s", at)
		}
	}
	if c := b.cookie(); !c.HTTPOnly || c.SameSite != network.CookieSameSiteStrict || !strings.HasPrefix(c.Path, "/ui/~") || len(c.Path) < 32 {
		t.Errorf("a script, another site or another port can use the cookie: %+v", c)
	}
}

// cookie returns the only cookie of the open page.
func (b *tab) cookie() network.Cookie {
	b.t.Helper()
	all := command(b, network.GetCookies, network.GetCookiesParams{}).Cookies
	if len(all) != 1 {
		b.t.Fatalf("%d cookies: %+v", len(all), all)
	}
	return *all[0]
}

// TestComeInByForm pastes the token, without JavaScript. A wrong token must give an error message.
func TestComeInByForm(t *testing.T) {
	s := shop(t).ui()
	b := window(t, s.base+"/ui/default/")
	b.expect("401")
	b.disableScripts()
	b.open("trash")
	b.paste(strings.Repeat("x", len(s.token)))
	b.says("[role=alert]", "not the token")
	b.paste(s.token)
	b.until("the pages", `document.querySelector("header nav")`)
}

// paste enters a token into the form, and submits it.
func (b *tab) paste(token string) {
	b.t.Helper()
	b.waitFor("input[name=token]")
	b.do("paste", chromedp.SetValue(chromedp.CSS("input[name=token]"), token))
	b.do("send", clickOn("form button"))
}

// TestStranger must see no page without a token.
func TestStranger(t *testing.T) {
	b := window(t, shop(t).ui().base+"/ui/default/")
	b.expect("401")
	for _, path := range []string{"", "trash", "change/1", "health", "file?path=README.md"} {
		b.open(path)
		b.waitFor("input[name=token]")
		if b.count("header nav a") != 0 {
			t.Errorf("%s: a stranger sees pages", path)
		}
	}
}
