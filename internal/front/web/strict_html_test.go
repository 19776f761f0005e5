package web

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// elements and attributes are those that pages may have; none of them runs, loads or frames anything, but for those that the
// reader looks at closer. What is not listed is found by the tests, so that nothing else comes into a page unseen.
var (
	// elements and attributes are those that pages may have. None of them runs, loads or frames anything, except those that
	// the parser checks further. The tests fail on any other, so that nothing new comes into a page unseen.
	elements = strings.Fields(`html head meta title link script noscript body header nav main footer section article figure figcaption aside
		div p span h1 h2 h3 h4 ul ol li dl dt dd a b strong em small code pre kbd samp mark time abbr br hr del ins wbr blockquote
		table caption colgroup col thead tbody tfoot tr th td form input button label select option optgroup fieldset legend textarea output
		details summary dialog meter progress svg g rect line path circle polyline text tspan desc defs use`)
	attributes = strings.Fields(`lang charset name content http-equiv rel href src defer type id class title role hidden tabindex datetime scope
		colspan rowspan span method action value required autocomplete spellcheck placeholder checked maxlength minlength min max step disabled
		readonly for selected rows cols open download autofocus list inputmode pattern media viewBox width height focusable preserveAspectRatio
		transform x y x1 x2 y1 y2 cx cy r rx ry d points fill stroke text-anchor dy dx`)
	family = regexp.MustCompile(`^(aria|data)-[a-z-]+$`)
)

var (
	void  = strings.Fields("meta link br hr input col wbr")
	token = regexp.MustCompile(`^<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][a-zA-Z0-9-]*(?:="[^"<>]*")?)*)\s*(/?)>`)
	attr  = regexp.MustCompile(`\s+([a-zA-Z][a-zA-Z0-9-]*)(?:="([^"<>]*)")?`)
)

// htmlScan is the result of parseHTML: the contents of a page, and its faults.
type htmlScan struct {
	faults []string
	links  []string // of this site
	forms  []htmlForm
	text   strings.Builder
}

type htmlForm struct {
	action string
	fields map[string][]string
}

func (s *htmlScan) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// parseHTML reads a page, or a part of one, strictly.
func parseHTML(page string) *htmlScan {
	s := &htmlScan{}
	page = regexp.MustCompile(`(?i)^<!doctype html>`).ReplaceAllString(page, "")
	var open []string
	for page != "" {
		at := strings.IndexByte(page, '<')
		if at < 0 {
			at = len(page)
		}
		s.words(page[:at])
		if page = page[at:]; page == "" {
			break
		}
		m := token.FindStringSubmatch(page)
		if m == nil {
			s.fault("no element begins here: %.80q", page)
			page = page[1:]
			continue
		}
		page = page[len(m[0]):]
		name := m[2]
		switch {
		case m[1] == "/" && (len(open) == 0 || open[len(open)-1] != name):
			s.fault("</%s> closes %v", name, open)
		case m[1] == "/":
			open = open[:len(open)-1]
		default:
			s.element(name, m[3])
			if !slices.Contains(void, name) && m[4] == "" {
				open = append(open, name)
			}
			if name == "script" && !strings.HasPrefix(page, "</script>") {
				s.fault("a script stands in the page: %.80q", page)
			}
		}
	}
	if len(open) > 0 {
		s.fault("%v stay open", open)
	}
	return s
}

func (s *htmlScan) element(name, attrs string) {
	if !slices.Contains(elements, name) {
		s.fault("an element %s", name)
	}
	got := map[string]string{}
	for _, m := range attr.FindAllStringSubmatch(attrs, -1) {
		key, value := m[1], html.UnescapeString(m[2])
		if _, twice := got[key]; twice {
			s.fault("%s has %s twice", name, key)
		}
		got[key] = value
		switch {
		case !slices.Contains(attributes, key) && !family.MatchString(key):
			s.fault("%s has the attribute %s=%q", name, key, value)
		case key == "href" || key == "src" || key == "action":
			s.address(name, value)
		case key != "value" && key != "content" && !strings.HasPrefix(key, "data-"): // which nobody sees
			s.seen(key+" of "+name, value)
		}
	}
	switch name {
	case "script":
		if !strings.HasPrefix(got["src"], "/ui/static/") {
			s.fault("a script from %q", got["src"])
		}
	case "form":
		s.forms = append(s.forms, htmlForm{got["action"], map[string][]string{}})
	case "input":
		if len(s.forms) > 0 && got["name"] != "" {
			f := s.forms[len(s.forms)-1].fields
			f[got["name"]] = append(f[got["name"]], got["value"])
		}
	}
}

func (s *htmlScan) address(of, value string) {
	if strings.HasPrefix(value, "#") || value == "" {
		return
	}
	if !strings.HasPrefix(value, "/ui/") || strings.ContainsAny(value, "\\\x00\n\r\t <>\"'") {
		s.fault("%s leads to %q", of, value)
		return
	}
	if of == "a" {
		s.links = append(s.links, value)
	}
}

func (s *htmlScan) words(text string) {
	if strings.ContainsAny(text, ">") && strings.TrimSpace(text) == ">" {
		s.fault("a > alone")
	}
	text = html.UnescapeString(text)
	s.seen("the text", text)
	s.text.WriteString(text)
}

// seen checks visible text: it may have no characters that are invisible or change the direction of writing.
func (s *htmlScan) seen(where, text string) {
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) {
			s.fault("%s has %U: %.80q", where, r, text)
			return
		}
	}
}
