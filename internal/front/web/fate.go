package web

import "github.com/emend-dev/emend"

// fate is what became of a file since, in words.
type fate struct {
	State emend.FateState
	Words string
	By    []emend.LogEntry // who changed it
	At    string           // where it is now, if it was moved
}

// fateWords are the states, before the names of who changed it.
var fateWords = map[emend.FateState]string{
	emend.Unchanged: "Unchanged since.",
	emend.Changed:   "Changed since",
	emend.Edited:    "Changed since, outside of emend",
	emend.Gone:      "Gone since",
	emend.Back:      "It was deleted, and something is there again",
	emend.Hidden:    "What became of it is not shown: it may not be read.",
}

func fateOf(f *emend.Fate, deleted bool) *fate {
	out := &fate{State: f.State, Words: fateWords[f.State], By: f.By, At: f.At}
	if f.State == emend.Gone && deleted {
		out.Words = "Gone still."
	}
	if f.State == emend.Edited && len(f.By) > 0 {
		out.Words += ", and before that"
	}
	return out
}

// fates are what became of the files of an entry that changed some.
func (r *request) fates(p *changePage) []emend.Fate {
	if !decided(&p.EntryData) || !p.OK {
		return nil
	}
	out, err := r.space.Fates(r.Context(), p.Entry)
	if err != nil {
		p.Notes = append(p.Notes, "What became of the files since cannot be said: "+err.Error())
	}
	return out
}
