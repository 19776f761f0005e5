package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
)

// webPage is what a page that was made has.
type webPage struct {
	ids   map[string]bool
	links []string
}

// check checks that each link of each page that leads to the pages leads to something, and prints how large they are.
func check(dir, base string, out io.Writer) error {
	pages, files := map[string]*webPage{}, map[string]bool{}
	var size, largest int64
	var name string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		is, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files[rel] = true
		if size += is.Size(); path.Ext(rel) != ".html" {
			return nil
		}
		if is.Size() > largest {
			largest, name = is.Size(), rel
		}
		pages[rel], err = readPage(file)
		return err
	})
	if err != nil {
		return err
	}
	var broken []error
	links := 0
	for from, p := range pages {
		for _, link := range p.links {
			u, err := url.Parse(link)
			if err != nil {
				broken = append(broken, fmt.Errorf("%s: %w", from, err))
				continue
			}
			if u.IsAbs() || u.Host != "" {
				continue
			}
			links++
			to := from
			if u.Path != "" {
				to = path.Join(path.Dir(from), u.Path)
				if rest, ok := strings.CutPrefix(u.Path, base); ok {
					to = path.Clean(rest)
				}
				if to == "." || strings.HasSuffix(u.Path, "/") {
					to = path.Join(to, "index.html")
				}
			}
			switch {
			case !files[to] && files[to+".html"]:
				to += ".html"
			case !files[to]:
				broken = append(broken, fmt.Errorf("%s: %s leads to nothing", from, link))
				continue
			}
			if t := pages[to]; u.Fragment != "" && t != nil && !t.ids[u.Fragment] {
				broken = append(broken, fmt.Errorf("%s: %s has no such place", from, link))
			}
		}
	}
	fmt.Fprintf(out, "%d pages, %d links within them, %.1f MB; the largest page is %s with %d KB\n", len(pages), links, float64(size)/1e6, name, largest/1000)
	return errors.Join(broken...)
}

func readPage(file string) (*webPage, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &webPage{ids: map[string]bool{}}
	for z := html.NewTokenizer(f); ; {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return nil, err
			}
			return p, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, a := range z.Token().Attr {
				switch a.Key {
				case "id":
					p.ids[a.Val] = true
				case "href", "src":
					p.links = append(p.links, a.Val)
				}
			}
		}
	}
}
