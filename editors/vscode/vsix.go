// Command vscode packs the extension for VS Code and editors made of it:
//
//	go run ./editors/vscode -version 1.2.3 -out emend-1.2.3.vsix
//
// The extension itself is JavaScript and runs as it stands in src. docs/editor.md describes it.
package main

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed package.json README.md src media
var files embed.FS

func main() {
	version := flag.String("version", "0.0.0", "the `version` of the extension")
	when := flag.Int64("time", 0, "the time of the files, in `seconds` since 1970")
	license := flag.String("license", "LICENSE", "the `file` with the licence")
	out := flag.String("out", "", "the `file` to write")
	flag.Parse()
	if err := run(*version, *license, *out, time.Unix(*when, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "vscode:", err)
		os.Exit(1)
	}
}

func run(version, license, out string, when time.Time) error {
	if out == "" {
		return errors.New("-out names no file")
	}
	text, err := os.ReadFile(license)
	if err != nil {
		return err
	}
	data, err := pack(version, text, when)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}

// manifest is what the package needs of package.json.
type manifest struct {
	Name, DisplayName, Description, Publisher string
	Categories, Keywords, ExtensionKind       []string
	Engines                                   struct{ VSCode string }
	Repository                                struct{ URL string }
}

// pack returns the extension as a .vsix. The same arguments give the same bytes.
func pack(version string, license []byte, when time.Time) ([]byte, error) {
	in, err := contents(version, license)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(0o644)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(in[name]); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// contents returns the files of the package by their names.
func contents(version string, license []byte) (map[string][]byte, error) {
	out := map[string][]byte{"extension/LICENSE.txt": license}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[path.Join("extension", name)], err = files.ReadFile(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	const at = "extension/package.json"
	var m manifest
	if err := json.Unmarshal(out[at], &m); err != nil {
		return nil, err
	}
	released := bytes.Replace(out[at], []byte(`"version": "0.0.0"`), fmt.Appendf(nil, `"version": %q`, version), 1)
	if bytes.Equal(released, out[at]) && version != "0.0.0" {
		return nil, fmt.Errorf("%s has no version 0.0.0 to replace", at)
	}
	out[at] = released
	out["extension.vsixmanifest"], err = vsixManifest(&m, version)
	out["[Content_Types].xml"] = contentTypes(out)
	return out, err
}

// contentTypes lists the types of the endings of the package's files.
func contentTypes(in map[string][]byte) []byte {
	known := map[string]string{".json": "application/json", ".js": "application/javascript", ".md": "text/markdown", ".svg": "image/svg+xml", ".txt": "text/plain", ".vsixmanifest": "text/xml"}
	endings := map[string]bool{}
	for name := range in {
		endings[path.Ext(name)] = true
	}
	var b strings.Builder
	b.WriteString(xml.Header + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`)
	for _, ext := range slices.Sorted(maps.Keys(endings)) {
		fmt.Fprintf(&b, `<Default Extension="%s" ContentType="%s"/>`, ext, known[ext])
	}
	b.WriteString("</Types>\n")
	return []byte(b.String())
}

type vsixAsset struct {
	Type        string `xml:",attr"`
	Path        string `xml:",attr"`
	Addressable bool   `xml:",attr"`
}

type vsixProperty struct {
	ID    string `xml:"Id,attr"`
	Value string `xml:",attr"`
}

// vsixManifest describes the package to the editor and to its marketplace.
func vsixManifest(m *manifest, version string) ([]byte, error) {
	type identity struct {
		Language  string `xml:",attr"`
		ID        string `xml:"Id,attr"`
		Version   string `xml:",attr"`
		Publisher string `xml:",attr"`
	}
	type metadata struct {
		Identity     identity
		DisplayName  string
		Description  string
		Tags         string
		Categories   string
		GalleryFlags string
		Properties   []vsixProperty `xml:"Properties>Property"`
		License      string
	}
	type target struct {
		ID string `xml:"Id,attr"`
	}
	v := struct {
		XMLName      xml.Name `xml:"http://schemas.microsoft.com/developer/vsx-schema/2011 PackageManifest"`
		Version      string   `xml:",attr"`
		Metadata     metadata
		Installation []target    `xml:"Installation>InstallationTarget"`
		Dependencies string      `xml:"Dependencies"`
		Assets       []vsixAsset `xml:"Assets>Asset"`
	}{
		Version: "2.0.0",
		Metadata: metadata{
			Identity: identity{"en-US", m.Name, version, m.Publisher}, DisplayName: m.DisplayName, Description: m.Description,
			Tags: strings.Join(m.Keywords, ","), Categories: strings.Join(m.Categories, ","), GalleryFlags: "Public",
			Properties: []vsixProperty{
				{"Microsoft.VisualStudio.Code.Engine", m.Engines.VSCode},
				{"Microsoft.VisualStudio.Code.ExtensionKind", strings.Join(m.ExtensionKind, ",")},
				{"Microsoft.VisualStudio.Services.Links.Source", m.Repository.URL},
			},
			License: "extension/LICENSE.txt",
		},
		Installation: []target{{"Microsoft.VisualStudio.Code"}},
		Assets: []vsixAsset{
			{"Microsoft.VisualStudio.Code.Manifest", "extension/package.json", true},
			{"Microsoft.VisualStudio.Services.Content.Details", "extension/README.md", true},
			{"Microsoft.VisualStudio.Services.Content.License", "extension/LICENSE.txt", true},
		},
	}
	text, err := xml.MarshalIndent(v, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}
