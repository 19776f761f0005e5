// Package out copies what a hub verified to other systems: as JSON Lines, and as logs of OpenTelemetry over HTTP. It is a copy, never the record:
// who receives it can ask the hub, and the hub the workspace, for the chain behind it.
//
// An event is sent at least once, in the order of the stream. Its id is the same each time. Reading resumes behind a position, which every
// event has.
package out

import (
	"context"
	_ "embed" // the schema
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/chain"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

// SchemaName names the version of the format in each event. A version may get new fields; what a field means never changes.
const SchemaName = "emend.event/1"

// Schema is the JSON Schema of an event, as it is published.
//
//go:embed schema/emend-event-1.schema.json
var Schema []byte

// Event is a record of a workspace that the hub verified, or a finding about its log.
type Event struct {
	Schema    string    `json:"schema"`
	ID        string    `json:"id"`       // the same each time that the event is sent
	Position  uint64    `json:"position"` // of the message that brought it: reading resumes behind it
	Type      string    `json:"type"`     // record or finding
	Time      time.Time `json:"time"`     // as the workspace says; of a finding, when it was found
	Arrived   time.Time `json:"arrived"`
	Workspace Workspace `json:"workspace"`
	Record    *Record   `json:"record,omitempty"`
	Finding   *Finding  `json:"finding,omitempty"`
}

// Workspace names a workspace.
type Workspace struct {
	ID     string   `json:"id"`
	Name   string   `json:"name,omitempty"`
	Labels []string `json:"labels,omitempty"`
}

// Record is a record of a log.
type Record struct {
	Epoch      int                `json:"epoch"`
	Seq        uint64             `json:"seq"`
	Kind       string             `json:"kind"`
	Hash       string             `json:"hash"`
	Prev       string             `json:"prev"`
	Withheld   bool               `json:"withheld,omitempty"` // the workspace sends no more of it
	Entry      string             `json:"entry,omitempty"`
	Actor      api.Actor          `json:"actor"`
	PolicyHash string             `json:"policyHash,omitempty"`
	Files      []api.RecordedFile `json:"files,omitempty"`
	OK         bool               `json:"ok"`
	ErrorKind  string             `json:"errorKind,omitempty"`
	Message    string             `json:"message,omitempty"`
	Undoes     []string           `json:"undoes,omitempty"`
	Command    string             `json:"command,omitempty"`
}

// Finding is something that is wrong with a log, or was.
type Finding struct {
	Kind  string `json:"kind"`
	Grave bool   `json:"grave"` // it may be tampering
	Epoch int    `json:"epoch"`
	Seq   uint64 `json:"seq"`
	Have  string `json:"have,omitempty"`
	Got   string `json:"got,omitempty"`
	Text  string `json:"text"`
}

// Source yields the events.
type Source struct {
	Broker *broker.Broker
	Index  *index.Index
}

// Read calls each with the events behind a position, in order, and with those that come, until ctx ends or each returns an error. Only what the
// index has is read: so an event is of a record that was verified. With follow false it ends with what the index has now. done, if it is not nil, is
// called with the position of a message whose events each has all seen.
func (s *Source) Read(ctx context.Context, after uint64, follow bool, each func(*Event) error, done func(position uint64) error) error {
	end, err := s.Index.Position(ctx)
	if err != nil || !follow && after >= end {
		return err
	}
	members := map[string]*wire.Member{}
	var looked time.Time
	finished := fmt.Errorf("all was read")
	err = s.Broker.Follow(ctx, after, func(m broker.Message) error {
		if time.Since(looked) > 10*time.Second {
			clear(members)
			looked = time.Now()
		}
		if err := s.wait(ctx, m.Stream); err != nil {
			return err
		}
		events, err := s.events(ctx, m, members)
		if err != nil {
			return err
		}
		for i := range events {
			if err := each(&events[i]); err != nil {
				return err
			}
		}
		if done != nil {
			if err := done(m.Stream); err != nil {
				return err
			}
		}
		if !follow && m.Stream >= end {
			return finished
		}
		return nil
	}, nil)
	if err == finished {
		return nil
	}
	return err
}

// wait waits until the index has a message.
func (s *Source) wait(ctx context.Context, position uint64) error {
	for {
		have, err := s.Index.Position(ctx)
		if err != nil || have >= position {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// events returns what a message brought.
func (s *Source) events(ctx context.Context, m broker.Message, members map[string]*wire.Member) ([]Event, error) {
	ws, err := wire.WorkspaceOf(m.Subject)
	if err != nil {
		ws = ""
	}
	var records []api.Record
	hashes := map[uint64]string{}
	body, err := wire.Unseal(ws, m.Subject, m.Data)
	if b, decodeErr := wire.DecodeBatch(body); err == nil && decodeErr == nil {
		for _, r := range b.Records {
			if h := r.Header; h != nil {
				records = append(records, api.Record{Seq: h.Seq, At: h.At, Prev: h.Prev, Kind: h.Kind, H: h.H, Withheld: true})
			} else if rec, err := emend.ParseRecord(r.Line); err == nil {
				records = append(records, *rec)
			} else {
				break // so did the verifier
			}
			hashes[records[len(records)-1].Seq] = records[len(records)-1].H
		}
	}
	brought, err := s.Index.Brought(ctx, m.Stream, ws, hashes)
	if err != nil {
		return nil, err
	}
	who := Workspace{ID: ws}
	if members[ws] == nil && ws != "" {
		if members[ws], err = s.Broker.Member(ctx, ws); err != nil {
			members[ws] = &wire.Member{}
		}
	}
	if known := members[ws]; known != nil {
		who.Name, who.Labels = known.Name, known.Labels
	}
	var out []Event
	for i := range records {
		if epoch, ok := brought.Epochs[records[i].Seq]; ok {
			out = append(out, recordEvent(&records[i], epoch, m, who))
			delete(brought.Epochs, records[i].Seq) // a batch that has it twice brought it once
		}
	}
	for i, f := range brought.Findings {
		out = append(out, findingEvent(&f, i, m, who))
	}
	return out, nil
}

func recordEvent(r *api.Record, epoch int, m broker.Message, who Workspace) Event {
	return Event{Schema: SchemaName, ID: fmt.Sprintf("%s/%d/%d", who.ID, epoch, r.Seq), Position: m.Stream, Type: "record", Time: r.At, Arrived: m.At, Workspace: who,
		Record: &Record{Epoch: epoch, Seq: r.Seq, Kind: r.Kind, Hash: r.H, Prev: r.Prev, Withheld: r.Withheld, Entry: r.Tx, Actor: r.Actor, PolicyHash: r.PolicyHash,
			Files: r.Files, OK: r.OK, ErrorKind: r.ErrorKind, Message: r.Message, Undoes: r.Undoes, Command: r.Command}}
}

func findingEvent(f *chain.Finding, n int, m broker.Message, who Workspace) Event {
	return Event{Schema: SchemaName, ID: fmt.Sprintf("finding/%d/%d", m.Stream, n), Position: m.Stream, Type: "finding", Time: f.At, Arrived: m.At, Workspace: who,
		Finding: &Finding{Kind: string(f.Kind), Grave: f.Kind.Grave(), Epoch: f.Epoch, Seq: f.Seq, Have: f.Have, Got: f.Got, Text: f.Text}}
}
