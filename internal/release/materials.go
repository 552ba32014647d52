package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// materials writes what the programs are made of (an SBOM, CycloneDX 1.6): the modules that the
// Go tool recorded in them, on whichever platform, Go's own library, and the files of others
// that the pages use. The client packages need nobody.
func (r release) materials(built []binary) error {
	parts, needs := map[string]object{}, map[string]map[string]bool{}
	for _, b := range built {
		info, err := buildinfo.ReadFile(b.path)
		if err != nil {
			return err
		}
		if needs[b.name] == nil {
			needs[b.name] = map[string]bool{}
		}
		own := &debug.Module{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}
		for _, m := range append(info.Deps, own) {
			part := module(m)
			ref := part["bom-ref"].(string)
			parts[ref], needs[b.name][ref] = part, true
		}
	}
	page, err := os.ReadFile(filepath.Join(r.root, "web", "vendor", "README.md"))
	if err != nil {
		return err
	}
	for _, row := range regexp.MustCompile(`\| npm (\S+), \S+ \| (\S+) \|`).FindAllStringSubmatch(string(page), -1) {
		ref := "pkg:npm/" + row[1] + "@" + row[2]
		parts[ref] = object{"type": "library", "bom-ref": ref, "name": row[1], "version": row[2], "purl": ref}
		needs[programs[0].name][ref] = true
	}

	own := func(kind, name string) object {
		return object{"type": kind, "bom-ref": name, "name": name, "version": r.version, "licenses": []object{{"license": object{"id": "Apache-2.0"}}}}
	}
	var components, dependencies []object
	for _, program := range programs {
		components = append(components, own("application", program.name))
		dependencies = append(dependencies, object{"ref": program.name, "dependsOn": slices.Sorted(maps.Keys(needs[program.name]))})
	}
	for _, ref := range slices.Sorted(maps.Keys(parts)) {
		components = append(components, parts[ref])
	}
	return os.WriteFile(filepath.Join(r.out, "countersign_"+r.version+"_sbom.cdx.json"), text(object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   object{"timestamp": r.at, "component": own("application", "release")},
		"components": components, "dependencies": dependencies,
	}), 0o644)
}

// module is a Go module as a component. Its sum is that of go.sum: a SHA-256 over the names
// and sums of its files.
func module(m *debug.Module) object {
	if m.Replace != nil {
		m = m.Replace
	}
	ref := "pkg:golang/" + m.Path + "@" + m.Version
	part := object{"type": "library", "bom-ref": ref, "name": m.Path, "version": m.Version, "purl": ref}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		part["hashes"] = []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sum)}}
	}
	return part
}
