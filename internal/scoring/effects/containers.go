package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What a call runs in a container: run_container {image, command, volumes}. The command is
// read like any other one, but the image is a program too, and a folder of the host in it gives
// away what is there, as both are for docker run.

// inContainer reports whether what is executed runs in a container, so that the function's
// name is not the program: kubectl_exec {pod, command}.
func (r *reader) inContainer() bool {
	if at := slices.IndexFunc(r.function, func(w word) bool { return w.text == "exec" }); at > 0 { // not exec_kubectl
		return true
	}
	return slices.ContainsFunc([]string{"image", "container", "pod"}, func(name string) bool { return r.in.Arguments.Get(name).Text() != "" })
}

// container reads the image and the mounts beside a command.
func (r *reader) container(args canon.Value, at string) {
	if r.name.kind == Read && r.name.known {
		return
	}
	for name, v := range args.Members() {
		pointer := at + "/" + canon.PointerEscape(name)
		switch key := lowered(name); {
		case says("image_keys", key) && v.Text() != "" && r.name.kind == Execute:
			r.tell(r.effect(named{kind: Write, verb: "create", object: "container"}, Evidence{Pointer: pointer, End: len(v.Text()), Why: "a container of this image is run"}, true))
		case says("mount_keys", key):
			if host := guardedMount(v); host != "" {
				r.tell(r.effect(named{kind: Permission, verb: "change", object: "container"}, Evidence{Pointer: pointer, Why: "a container sees " + host + " of its host"}, true))
			}
		}
	}
}

// guardedMount is the first path of a host among mounts that gives away more than a folder: its
// root, the socket of its containers, what decides who may do what.
func guardedMount(v canon.Value) string {
	path := func(text string) string {
		host, _, _ := strings.Cut(text, ":")
		clean := cleanPath(host)
		if strings.HasPrefix(host, "/") && (wordlist.Is("effects.guardedMounts", clean) || strings.HasSuffix(clean, "docker.sock") || strings.HasSuffix(clean, "containerd.sock") || isGuardingPath(clean)) {
			return clean
		}
		return ""
	}
	if found := path(v.Text()); found != "" {
		return found
	}
	for _, e := range v.Elements() {
		if found := guardedMount(e); found != "" {
			return found
		}
	}
	for name, e := range v.Members() {
		inside := []string{"bind", "target", "destination", "container_path", "containerpath", "container", "dst", "mode"}
		if found := path(name); found != "" {
			return found
		}
		if slices.Contains(inside, strings.ToLower(name)) {
			continue // where in the container
		}
		if found := guardedMount(e); found != "" {
			return found
		}
	}
	return ""
}
