package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"
)

// tree is the files of an archive, by their slash-separated path.
type tree map[string]entry

type entry struct {
	data []byte
	exec bool
}

func (e entry) mode() fs.FileMode {
	if e.exec {
		return 0o755
	}
	return 0o644
}

// add adds text files.
func (t tree) add(dir string, files map[string][]byte) {
	for name, data := range files {
		t[path.Join(dir, name)] = entry{data: data}
	}
}

// tarGz packs a tree. Files are in the order of their names, and belong to nobody.
func (t tree) tarGz(when time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression) // its header has no name and no time
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		e := t[name]
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(e.data)), Mode: int64(e.mode()), ModTime: when, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zip packs a tree in the same order.
func (t tree) zip(when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		e := t[name]
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when}
		h.SetMode(e.mode())
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// archiveName is the name of a target's archive without its extension, and of the directory in it.
func (r *release) archiveName(t target) string {
	return "emend-" + r.version + "-" + t.os + "-" + t.arch
}

// archiveFile is the name of a target's archive.
func (r *release) archiveFile(t target) string {
	if t.os == "windows" {
		return r.archiveName(t) + ".zip"
	}
	return r.archiveName(t) + ".tar.gz"
}

// writeArchives writes an archive for each target: the binary, its licences, man pages and completions.
func (r *release) writeArchives(context.Context) error {
	for _, b := range r.built {
		dir := r.archiveName(b.target)
		t := tree{path.Join(dir, b.program()): {b.data, true}}
		t.add(dir, r.legal(b))
		t.add(dir, r.pages)
		pack := t.tarGz
		if b.os == "windows" {
			pack = t.zip
		}
		data, err := pack(r.commit.time)
		if err == nil {
			err = r.write(r.archiveFile(b.target), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
