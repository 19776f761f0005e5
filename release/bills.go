package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBills writes a bill of materials in CycloneDX for each binary: the modules that its build information names, which is what the
// linker put in.
func (r *release) writeBills(ctx context.Context) error {
	for _, b := range r.built {
		bill := r.bill(b)
		if err := checkBill(ctx, bill, b); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cdx.SpecVersion1_6); err != nil {
			return err
		}
		if err := r.write(r.archiveName(b.target)+".cdx.json", out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bill(b binary) *cdx.BOM {
	sum := sha256.Sum256(b.data)
	self := cdx.Component{
		BOMRef: purl(module, "v"+r.version), Type: cdx.ComponentTypeApplication, Name: "emend", Version: r.version,
		PackageURL: purl(module, "v"+r.version), Licenses: licences(r.own.id),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Properties: &[]cdx.Property{{Name: "vcs.revision", Value: r.commit.hash}, {Name: "target", Value: b.target.String()}},
	}
	bill := cdx.NewBOM()
	bill.SerialNumber = "urn:uuid:" + uuid(sum)
	bill.Metadata = &cdx.Metadata{Timestamp: r.commit.time.Format("2006-01-02T15:04:05Z"), Component: &self}
	var parts []cdx.Component
	refs := []string{}
	for _, m := range linked(b.info) {
		c := cdx.Component{BOMRef: modulePURL(m), Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			PackageURL: modulePURL(m), Licenses: licences(r.licences[m.Path].id)}
		if m.Sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go.sum", Value: m.Sum}}
		}
		parts, refs = append(parts, c), append(refs, c.BOMRef)
	}
	bill.Components = &parts
	bill.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	return bill
}

func licences(id string) *cdx.Licenses { return &cdx.Licenses{{License: &cdx.License{ID: id}}} }

// purl names a version of a module as package managers do.
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

func modulePURL(m *debug.Module) string { return purl(m.Path, m.Version) }

// uuid makes an identifier of a sum, so that the same binary has the same.
func uuid(sum [32]byte) string {
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // version 8, made by rules of its own
	h := hex.EncodeToString(b)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// checkBill compares a bill with what "go version -m" says of the binary.
func checkBill(ctx context.Context, bill *cdx.BOM, b binary) error {
	said, err := output(ctx, "", "go", "version", "-m", b.path)
	if err != nil {
		return err
	}
	var want, has []string
	for line := range strings.Lines(said) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, b.path):
			want = append(want, "std "+strings.TrimPrefix(f[len(f)-1], "go"))
		case len(f) >= 3 && f[0] == "dep", len(f) >= 3 && f[0] == "=>":
			want = append(want, f[1]+" "+f[2])
		}
	}
	for _, c := range *bill.Components {
		has = append(has, c.Name+" "+c.Version)
	}
	slices.Sort(want)
	slices.Sort(has)
	if len(want) < 2 || !slices.Equal(want, has) {
		return errors.Join(fmt.Errorf("the bill for %s does not agree with go version -m", b.target), fmt.Errorf("it has %v", has), fmt.Errorf("not %v", want))
	}
	return nil
}
