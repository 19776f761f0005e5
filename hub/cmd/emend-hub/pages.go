package main

import (
	"net/http"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/pages"
)

// mountPages adds the pages, and the API.
func (a *app) mountPages(mux *http.ServeMux, b *broker.Broker, x *index.Index, ctl *control.Control, s settings) {
	mux.Handle("/", pages.New(pages.Config{Broker: b, Index: x, Control: ctl, URL: s.URL, Own: s.Own, Version: emend.Version().Version, Log: a.logger()}))
}
