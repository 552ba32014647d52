package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is one of an archive; a folder where the name ends with a slash.
type file struct {
	name  string
	mode  int64
	owner int
	data  []byte
}

const readme = `Countersign %VERSION%: the approval console for AI agents.

  countersign        the console, the API for agents, the command line, a demo
  countersign-hook   asks the console before a coding agent runs a tool; keep it beside the other

"countersign demo" is a console to look around in, "countersign --help" lists the rest.
`

// archive writes what is installed on one platform.
func (r release) archive(p platform, built []binary) error {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	files := []file{{"LICENSE", 0o644, 0, license}, {"README.txt", 0o644, 0, []byte(strings.ReplaceAll(readme, "%VERSION%", r.version))}}
	for _, b := range built {
		data, err := os.ReadFile(b.path)
		if err != nil {
			return err
		}
		files = append(files, file{filepath.Base(b.path), 0o755, 0, data})
	}
	name := filepath.Join(r.out, "countersign_"+r.version+"_"+p.os+"_"+p.arch)
	var packed bytes.Buffer
	if p.os == "windows" {
		if err := zipped(&packed, files, r.at); err != nil {
			return err
		}
		return os.WriteFile(name+".zip", packed.Bytes(), 0o644)
	}
	zip := gzip.NewWriter(&packed)
	if err := tarred(zip, files, r.at); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(name+".tar.gz", packed.Bytes(), 0o644)
}

func tarred(w io.Writer, files []file, at time.Time) error {
	tape := tar.NewWriter(w)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := tape.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tape.Write(f.data); err != nil {
			return err
		}
	}
	return tape.Close()
}

func zipped(w io.Writer, files []file, at time.Time) error {
	archive := zip.NewWriter(w)
	for _, f := range files {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at})
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}
