package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/emend-dev/emend/api"
)

// Limits of a batch.
const (
	MaxBatchRecords = 1000
	MaxBatchBytes   = 1 << 20  // of the lines, before they are compressed; a single longer record is a batch of its own
	MaxLineBytes    = 16 << 20 // of one record; a longer one is sent as its header, as TooLong
	MaxMessage      = 4 << 20  // of a message as it is sent
	maxDecoded      = MaxBatchBytes + MaxLineBytes + 1<<20
)

// Batch is a run of records, each of which continues the one before it.
type Batch struct {
	V         int      `json:"v"`
	Workspace string   `json:"workspace"`
	After     api.Head `json:"after"`          // what the first record continues; zero for the log's beginning
	Local     api.Head `json:"local"`          // the newest record of the log when this was sent
	Fill      bool     `json:"fill,omitempty"` // closes a gap: the hub asked for it
	// Shipped, of a batch that closes a gap, is what the next other batch continues.
	Shipped api.Head `json:"shipped,omitzero"`
	// Lost is the head after which the sender expected to continue, which its log does not have: its log was cut off or replaced, or somebody else
	// published in its name.
	Lost *api.Head `json:"lost,omitempty"`
	// Repository names the repository that the tree is a clone of, equally in all clones: the SHA-256 of
	// the address of its origin, without scheme, credentials and a .git at the end. "" if there is none. It groups workspaces; it proves nothing.
	Repository string   `json:"repository,omitempty"`
	Count      int      `json:"count"`
	Records    []Record `json:"-"`
}

// Record is one record in a batch: a line of the log as it stands there, or its header.
type Record struct {
	Line   []byte
	Header *Header // if there is no Line
}

// Header stands for a record whose line is not sent: it is about a file that may not be read at the workspace, or it is too long.
type Header struct {
	TooLong int       `json:"tooLong,omitempty"` // bytes of the line; 0 if it is withheld
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"ts"`
	Prev    string    `json:"prev"`
	Kind    string    `json:"kind"`
	H       string    `json:"h"`
}

// RecordOf returns what a batch has of a record of the log.
func RecordOf(r *api.Record) Record {
	switch {
	case r.Withheld:
		return HeaderOf(r, 0)
	case len(r.Line) > MaxLineBytes:
		return HeaderOf(r, len(r.Line))
	}
	return Record{Line: r.Line}
}

// HeaderOf returns the header of a record whose line is withheld, or has too many bytes.
func HeaderOf(r *api.Record, tooLong int) Record {
	return Record{Header: &Header{TooLong: tooLong, Seq: r.Seq, At: r.At, Prev: r.Prev, Kind: r.Kind, H: r.H}}
}

// Head returns the head of the last record. It reads no more of a line than that.
func (b *Batch) Head() (h api.Head, err error) {
	if len(b.Records) == 0 {
		return h, fmt.Errorf("a batch without records")
	}
	last := b.Records[len(b.Records)-1]
	if last.Header != nil {
		return api.Head{Seq: last.Header.Seq, H: last.Header.H}, nil
	}
	err = json.Unmarshal(last.Line, &h)
	return h, err
}

// headerPrefix begins the line of a header. No line of a log begins so.
const headerPrefix = `{"header":`

// Encode returns a batch as it is sent: JSON Lines, the batch and then its records, compressed with Zstandard.
func (b *Batch) Encode() ([]byte, error) {
	b.V, b.Count = Version, len(b.Records)
	var text bytes.Buffer
	first, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	text.Write(first)
	text.WriteByte('\n')
	for _, r := range b.Records {
		if r.Header != nil {
			h, err := json.Marshal(r.Header)
			if err != nil {
				return nil, err
			}
			text.WriteString(headerPrefix)
			text.Write(h)
			text.WriteByte('}')
		} else {
			text.Write(r.Line)
		}
		text.WriteByte('\n')
	}
	return encoder().EncodeAll(text.Bytes(), nil), nil
}

// DecodeBatch reads what [Batch.Encode] wrote. It checks the form, and not what the lines say.
func DecodeBatch(data []byte) (*Batch, error) {
	text, err := Decompress(data)
	if err != nil {
		return nil, fmt.Errorf("not a batch: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	b := new(Batch)
	if err := json.Unmarshal(first, b); err != nil {
		return nil, fmt.Errorf("not a batch: %w", err)
	}
	if b.V < 1 || b.V > Version {
		return nil, fmt.Errorf("a batch of version %d, and this program reads up to %d", b.V, Version)
	}
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if h, ok := bytes.CutPrefix(line, []byte(headerPrefix)); ok {
			r := Record{Header: new(Header)}
			if err := json.Unmarshal(bytes.TrimSuffix(h, []byte("}")), r.Header); err != nil {
				return nil, fmt.Errorf("not the header of a record: %w", err)
			}
			b.Records = append(b.Records, r)
			continue
		}
		b.Records = append(b.Records, Record{Line: line})
	}
	if len(b.Records) != b.Count || b.Count == 0 || b.Count > MaxBatchRecords {
		return nil, fmt.Errorf("a batch with %d records that says %d; at most %d", len(b.Records), b.Count, MaxBatchRecords)
	}
	return b, nil
}

// Decompress returns the text of a batch, or of an extra. It is bounded.
func Decompress(data []byte) ([]byte, error) { return decoder().DecodeAll(data, nil) }

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDecoded))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})
