package web

import (
	"strconv"
	"time"

	"github.com/emend-dev/emend/api"
)

// trashPage is the data of the list of the trash.
type trashPage struct {
	Items     []trashItem
	Count     int
	SizeBytes int64
	RestHref  string // the next page of the list
	Clear     string // the page that clears the trash
	Older     string // the page that clears what is older than a chosen age
	Ages      []trashAge
	Done      string // what the last form did
}

type trashItem struct {
	api.Trashed
	Preview, Restore, Clear string
	Entry                   string
}

// trashAge is an age to choose: what is older is cleared.
type trashAge struct {
	Text   string
	Before string // the tool's argument
}

// maxTrash limits the items on a page of the trash.
const maxTrash = 500

func (r *request) trash() (page, error) {
	list, err := r.ws.Trash(r.Context())
	if err != nil {
		return page{}, err
	}
	p := &trashPage{Count: len(list), Clear: r.ws.Confirm("clear_trash"), Older: r.ws.Page("confirm", "clear_trash"), Ages: ages(time.Now())}
	if r.URL.Query().Get("done") != "" {
		p.Done = "Deleted permanently."
	}
	from := r.queryNumber("from", len(list))
	for i := range list {
		p.SizeBytes += list[i].SizeBytes
		if i >= from && i < from+maxTrash {
			p.Items = append(p.Items, r.trashItem(&list[i]))
		}
	}
	if next := from + maxTrash; next < len(list) {
		p.RestHref = r.ws.With("trash", "from", strconv.Itoa(next))
	}
	return page{Name: "trash", Title: "Trash", Data: p}, nil
}

func (r *request) trashItem(t *api.Trashed) trashItem {
	return trashItem{Trashed: *t, Entry: entryOfID(t.ID), Preview: r.ws.Page("trash", t.ID),
		Restore: r.ws.Confirm("restore_file", "trashedPath", t.ID), Clear: r.ws.Confirm("clear_trash", "ids", t.ID)}
}

// ages returns the choices.
func ages(now time.Time) (out []trashAge) {
	for _, a := range []struct {
		words string
		days  int
	}{{"a day", 1}, {"a week", 7}, {"30 days", 30}, {"90 days", 90}, {"a year", 365}} {
		out = append(out, trashAge{a.words, now.AddDate(0, 0, -a.days).UTC().Format(time.RFC3339)})
	}
	return out
}

// trashedPage is the data of the page of one file in the trash.
type trashedPage struct {
	trashItem
	View *diffView
}

func (r *request) trashed() (page, error) {
	id := r.PathValue("id")
	t, err := r.ws.Host().TrashShow(r.Context(), id)
	if err != nil {
		return page{}, err
	}
	p := &trashedPage{trashItem: r.trashItem(&t.Trashed)}
	if t.Link == "" {
		c, err := r.ws.Content(r.Context(), id)
		if err != nil {
			return page{}, err
		}
		p.View = r.contentView(c)
	}
	return page{Name: "trashed", Title: "Trash: " + t.Path, Data: p}, nil
}
