// Package web holds the static files of the console: styles, fonts, icons and
// scripts, embedded in the program.
//
// Every file has an address with a version taken from its content, so that a
// browser may keep it for ever: /static/css/base.css?v=3f1c0a9b7d24. The style
// sheets of every page are joined into one, and so are its scripts, minified: each file
// more is work for a phone, which has few cores, at the moment when it draws the page. htmx and its
// extensions are another one. Pages with a feed, or with a part that is fetched, load it, after
// all that listens to it: htmx starts by itself as soon as nothing else runs, never asks an extension that
// comes later, and opens the feed whether somebody listens yet or not. A page that refers to a symbol in icons.svg uses the
// address without a version; serve that with its ETag.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

// Prefix is the path below which the files are served.
const Prefix = "/static/"

// FS holds the files under the names that [Assets] uses.
//
//go:embed css fonts icons js vendor icons.svg favicon.svg manifest.webmanifest
var FS embed.FS

// types is closed on purpose: a file with another ending is refused when the
// table is built, and never served with a guessed type.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".svg":         "image/svg+xml",
	".woff2":       "font/woff2",
	".png":         "image/png",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
	".md":          "text/plain; charset=utf-8",
}

// Asset is one static file. Body is shared and must not be changed.
type Asset struct {
	// Name is the path below [Prefix], for example "css/base.css".
	Name string
	Body []byte
	// Type is the Content-Type.
	Type string
	// Version is the first 12 hex digits of the body's SHA-256.
	Version string
}

// ETag returns the entity tag of the file. It is weak, because the file is also sent
// compressed.
func (a Asset) ETag() string { return `W/"` + a.Version + `"` }

// URL returns the file's address with its version.
func (a Asset) URL() string { return Prefix + a.Name + "?v=" + a.Version }

// Assets is the table of all files. It does not change after [New] and is safe
// for use by several goroutines.
type Assets struct {
	files map[string]Asset
}

// New reads the embedded files and computes their versions. It fails only when a
// file has an ending without a known type, or when one that the pages load is
// missing, which a test rules out.
func New() (*Assets, error) {
	files := make(map[string]Asset)
	scripted := minify.New()
	scripted.AddFunc("js", js.Minify)
	err := fs.WalkDir(FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kind, ok := types[path.Ext(name)]
		if !ok {
			return fmt.Errorf("%s: no content type for this ending", name)
		}
		body, err := FS.ReadFile(name)
		if err == nil && path.Dir(name) == "js" {
			body, err = scripted.Bytes("js", body)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		files[name] = newAsset(name, kind, body)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the static files: %w", err)
	}
	assets := &Assets{files: files}
	for _, name := range slices.Concat([]string{early, last, policy, favicon, manifest, touch, Worker}, fonts(), styles(), scripts(), htmx(), chartStyles(), chartScripts()) {
		if _, ok := files[name]; !ok {
			return nil, fmt.Errorf("read the static files: %s is missing", name)
		}
	}
	files[allStyles] = newAsset(allStyles, types[".css"], assets.join(styles(), "\n"))
	files[allScripts] = newAsset(allScripts, types[".js"], assets.join(scripts(), ";\n"))
	files[wholeHTMX] = newAsset(wholeHTMX, types[".js"], assets.join(htmx(), ";\n"))

	return assets, nil
}

func newAsset(name, kind string, body []byte) Asset {
	sum := sha256.Sum256(body)

	return Asset{Name: name, Body: body, Type: kind, Version: hex.EncodeToString(sum[:6])}
}

// join puts files one after the other, each with what ends it: a minified script may end without
// its semicolon, and a next one in parentheses would be its argument. Style sheets refer to the fonts by their
// versions then, so that a browser asks for those once and not on every page.
func (a *Assets) join(names []string, after string) []byte {
	var all bytes.Buffer
	for _, name := range names {
		all.Write(a.files[name].Body)
		all.WriteString(after)
	}
	body := all.Bytes()
	for _, name := range fonts() {
		body = bytes.ReplaceAll(body, []byte(`url("../`+name+`")`), []byte(`url("../`+strings.TrimPrefix(a.URL(name), Prefix)+`")`))
	}

	return body
}

// Get returns the file with this name below [Prefix], without any query.
func (a *Assets) Get(name string) (Asset, bool) {
	file, ok := a.files[name]

	return file, ok
}

// URL returns the address of a file with its version. A name that does not exist
// gets an address that answers 404.
func (a *Assets) URL(name string) string {
	file, ok := a.files[name]
	if !ok {
		return Prefix + name
	}

	return file.URL()
}

// Style returns the address of the style sheet of every page.
func (a *Assets) Style() string { return a.URL(allStyles) }

// Script returns the address of the deferred script of every page.
func (a *Assets) Script() string { return a.URL(allScripts) }

// Last returns the address of the script that runs after all others. It is a short one: what they
// changed is laid out in its turn, and not in that of htmx.
func (a *Assets) Last() string { return a.URL(last) }

// Fonts returns the address of the font that every page is read in, as the style sheet has
// it: a page that names it itself gets it before it has read the style sheet. The other one
// is for code, and would only hold the first text up on a slow line.
func (a *Assets) Fonts() []string { return a.urls(fonts()[:1]) }

// CodeFont returns the address of the font of code, for pages that show it at once.
func (a *Assets) CodeFont() string { return a.URL(fonts()[1]) }

// Charts returns the addresses of the style sheets and scripts that a page with
// charts loads after the others. No other page does: they are as large as all of
// those together.
func (a *Assets) Charts() (styles, scripts []string) {
	return a.urls(chartStyles()), a.urls(chartScripts())
}

// Early returns the address of the one script that must run before the page is
// drawn; it sets the chosen theme.
func (a *Assets) Early() string { return a.URL(early) }

// Favicon returns the address of the icon of the page.
func (a *Assets) Favicon() string { return a.URL(favicon) }

// Manifest returns the address of what a browser needs to install the console as an app.
func (a *Assets) Manifest() string { return a.URL(manifest) }

// Touch returns the address of the icon for the home screen of a phone that reads no
// manifest for it.
func (a *Assets) Touch() string { return a.URL(touch) }

// HTMX returns the address of the script of a page that has a feed, or fetches a part of itself.
func (a *Assets) HTMX() string { return a.URL(wholeHTMX) }

// Policy returns the address of the script of the policy form.
func (a *Assets) Policy() string { return a.URL(policy) }

// Push returns the addresses of the scripts of the page on which somebody turns push
// notifications on.
func (a *Assets) Push() []string { return a.urls([]string{"js/push.js"}) }

// Worker is the name of the service worker. It is served from the root, since it is in charge
// of the addresses below its own.
const Worker = "js/service-worker.js"

func (a *Assets) urls(names []string) []string {
	urls := make([]string, 0, len(names))
	for _, name := range names {
		urls = append(urls, a.URL(name))
	}

	return urls
}

const (
	early      = "js/theme.js"
	last       = "js/times.js"
	policy     = "js/policy.js"
	favicon    = "favicon.svg"
	manifest   = "manifest.webmanifest"
	touch      = "icons/apple-180.png"
	allStyles  = "css/all.css"
	allScripts = "js/all.js"
	wholeHTMX  = "vendor/htmx.js"
)

// The font of code is there in two weights instead of in all of them: nearly every page needs only
// the first one, which is half as large.
func fonts() []string {
	return []string{"fonts/inter-latin.woff2", "fonts/jetbrains-mono-latin-400.woff2", "fonts/jetbrains-mono-latin-600.woff2"}
}

// The first one declares the order of the layers.
func styles() []string {
	return []string{"css/tokens.css", "css/base.css", "css/components.css", "css/utilities.css", "css/help.css", "css/queue.css", "css/pages.css", "css/policy.css", "css/lists.css", "css/trail.css", "css/several.css", "css/reading.css", "css/print.css"}
}

// The others call what the first two define.
func scripts() []string {
	return []string{"js/dom.js", "js/texts.js", "js/console.js", "js/keys.js", "js/palette.js", "js/notify.js", "js/session.js", "js/send.js", "js/guide.js", "js/decide.js", "js/mention.js"}
}

// The extensions register with htmx.
func htmx() []string {
	return []string{"vendor/htmx.min.js", "vendor/hx-csp.min.js", "vendor/hx-ws.min.js"}
}

func chartStyles() []string { return []string{"vendor/uPlot.min.css", "css/insights.css"} }

func chartScripts() []string { return []string{"vendor/uPlot.iife.min.js", "js/chart.js"} }
