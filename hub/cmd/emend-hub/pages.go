package main

import (
	"net/http"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
)

// mountPages adds the pages.
func (a *app) mountPages(mux *http.ServeMux, b *broker.Broker, x *index.Index, ctl *control.Control, s settings) {
}
