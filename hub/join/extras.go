package join

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/wire"
)

// sendExtras sends the diffs of records, and the contents that they left, before the records themselves: what the hub has of records
// has its diffs. What is not there any more is not sent. A hub that is full of extras does not keep records back.
func (j *Join) sendExtras(ctx context.Context, records []api.Record) error {
	for i := range records {
		r := &records[i]
		if r.Withheld || r.Tx == "" || r.Kind != "commit" && r.Kind != "undo" {
			continue
		}
		err := j.sendDiffs(ctx, r)
		if err == nil && j.o.Ship == wire.ShipContents {
			err = j.sendContents(ctx, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *Join) sendDiffs(ctx context.Context, r *api.Record) error {
	shown, err := j.workspace().Show(ctx, r.Tx)
	if err != nil {
		return nil // nothing is known of it any more
	}
	keys := map[string]bool{}
	for _, f := range r.Files {
		keys[f.Path] = f.Keys > 0
	}
	d := &wire.Diffs{V: wire.Version, Seq: r.Seq, H: r.H, Entry: r.Tx}
	for _, f := range shown.Data.Files {
		out := wire.FileDiff{Path: f.Path, ToPath: f.ToPath}
		switch {
		case keys[f.Path] || emend.HasKey(f.Diff):
			out.NotShown = "a line looks like a key"
		case f.Diff == "":
			out.NotShown = "no diff is kept"
		case len(f.Diff) > wire.MaxDiff:
			out.NotShown = fmt.Sprintf("the diff has %d bytes", len(f.Diff))
		default:
			out.Diff = f.Diff
		}
		d.Files = append(d.Files, out)
	}
	data, err := wire.EncodeExtra(d)
	if err != nil || len(data) > wire.MaxMessage-4096 {
		return err
	}
	return j.publishOnce(ctx, wire.DiffsSubject(j.o.Membership.Joined.Workspace, strconv.FormatUint(r.Seq, 10)), data)
}

func (j *Join) sendContents(ctx context.Context, r *api.Record) error {
	for _, f := range r.Files {
		if f.After == "" || f.Keys > 0 {
			continue
		}
		path := f.Path
		if f.ToPath != "" {
			path = f.ToPath
		}
		content := j.content(ctx, path, f.After)
		if content == nil || emend.HasKey(string(content)) {
			continue
		}
		for n, part := range wire.Parts(content) {
			data, err := wire.EncodeExtra(&part)
			if err != nil {
				return err
			}
			if err := j.publishOnce(ctx, wire.ContentSubject(j.o.Membership.Joined.Workspace, f.After, strconv.Itoa(n)), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// content returns the content with a sha256 that path has now, or had; nil if it is not there any more, or may not be read.
func (j *Join) content(ctx context.Context, path, sum string) []byte {
	ws := j.workspace()
	if got, err := ws.Read(ctx, api.ReadRequest{Path: path, AllowBinary: true, MaxBytes: wire.MaxContent}); err == nil && got.Data.Sha256 == sum {
		if c := whole(&got.Data, sum); c != nil {
			return c
		}
	}
	h, err := ws.FileHistory(ctx, path, 0)
	if err != nil {
		return nil
	}
	for _, v := range h.Versions {
		if v.AfterSha256 != sum || v.ID == "" {
			continue
		}
		if c, err := ws.Content(ctx, v.ID); err == nil && hasSum([]byte(c.Text), sum) {
			return []byte(c.Text)
		}
	}
	return nil
}

// whole returns the bytes of a file that was read, if they are all there.
func whole(d *api.ReadData, sum string) []byte {
	if d.ContentBase64 != "" {
		if c, err := base64.StdEncoding.DecodeString(d.ContentBase64); err == nil && hasSum(c, sum) {
			return c
		}
	}
	if hasSum([]byte(d.Content), sum) {
		return []byte(d.Content)
	}
	return nil
}

func hasSum(c []byte, sum string) bool {
	got := sha256.Sum256(c)
	return hex.EncodeToString(got[:]) == sum
}

// publishOnce publishes on a subject that takes one message. One that is there already, from before a stop, is the same.
func (j *Join) publishOnce(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	data, err := wire.Seal(j.key, subject, data)
	if err != nil {
		return err
	}
	_, err = j.ship.js.Publish(ctx, subject, data, jetstream.WithRetryAttempts(0))
	if e, ok := errors.AsType[*jetstream.APIError](err); ok {
		// The subject has its message, or the hub takes no more of them.
		j.o.Log.Debug("the hub did not take an extra", "subject", subject, "error", e)
		return nil
	}
	if err != nil {
		return fmt.Errorf("the hub did not take a diff or a content: %w", err)
	}
	return nil
}
