package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image writes the container image of a platform: an OCI layout (the specification's
// image-layout.md) in a tar file, with the manifest.json by which older “docker load” finds its
// way. It has what the Dockerfile puts in.
func (r release) image(p platform, program string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	// Mozilla's authorities, as Debian's package has them: without the dates from which it no
	// longer believes some of them.
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	var layer, packed bytes.Buffer
	if err := tarred(&layer, []file{
		{"countersign", 0o755, 0, binary},
		{"data/", 0o700, 65532, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, roots.Bytes()},
		{"tmp/", 0o1777, 65532, nil},
	}, r.at); err != nil {
		return err
	}
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(layer.Bytes()); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}

	var files []file
	blob := func(kind string, data []byte) object {
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		files = append(files, file{"blobs/sha256/" + sum, 0o644, 0, data})
		return object{"mediaType": kind, "digest": "sha256:" + sum, "size": len(data)}
	}
	const kind = "application/vnd.oci.image."
	layers := []object{blob(kind+"layer.v1.tar+gzip", packed.Bytes())}
	config := blob(kind+"config.v1+json", text(object{
		"created": r.at, "os": p.os, "architecture": p.arch,
		"config": object{
			"User": "65532:65532", "Entrypoint": []string{"/countersign"}, "ExposedPorts": object{"8080/tcp": object{}}, "Volumes": object{"/data": object{}},
			"Env": []string{"COUNTERSIGN_ADDR=0.0.0.0:8080", "COUNTERSIGN_DATA_DIR=/data"},
			"Labels": object{
				"org.opencontainers.image.title": "countersign", "org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
		"rootfs": object{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.Bytes()))}},
	}))
	manifest := blob(kind+"manifest.v1+json", text(object{"schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "config": config, "layers": layers}))
	manifest["platform"] = object{"os": p.os, "architecture": p.arch}
	manifest["annotations"] = object{"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/countersign:" + r.version}
	files = append(files,
		file{"oci-layout", 0o644, 0, text(object{"imageLayoutVersion": "1.0.0"})},
		file{"index.json", 0o644, 0, text(object{"schemaVersion": 2, "mediaType": kind + "index.v1+json", "manifests": []object{manifest}})},
		file{"manifest.json", 0o644, 0, text([]object{{"Config": files[1].name, "RepoTags": []string{"countersign:" + r.version}, "Layers": []string{files[0].name}}})})

	var tape bytes.Buffer
	if err := tarred(&tape, files, r.at); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "countersign_"+r.version+"_image_"+p.os+"_"+p.arch+".tar"), tape.Bytes(), 0o644)
}

type object map[string]any

// text is JSON of what always has one.
func text(v any) []byte {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}
