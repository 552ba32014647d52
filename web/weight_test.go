package web

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

// A first visit downloads everything that a page loads, once: at most 250 KiB as
// sent, of which script at most 60 KiB and, left for the page itself, 60 KiB. Texts
// are sent with gzip; fonts are compressed in themselves.
func TestFirstVisitIsLight(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	const kib = 1 << 10
	names := []string{early, last, favicon, "icons.svg", allStyles, allScripts, wholeHTMX}
	for name := range assets.files {
		if strings.HasSuffix(name, ".woff2") {
			names = append(names, name)
		}
	}
	total, script := 0, 0
	for _, name := range names {
		file, _ := assets.Get(name)
		size := sent(t, file)
		total += size
		if strings.HasSuffix(name, ".js") {
			script += size
		}
	}
	t.Logf("%d KiB, of which script %d KiB", total/kib, script/kib)
	if total > (250-60)*kib || script > 60*kib {
		t.Errorf("a first visit takes %d bytes, of which script %d", total, script)
	}
}

// The page with charts holds to the same weight of script, with all that it adds; no
// other page loads that.
func TestChartsAreLight(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	const kib = 1 << 10
	script := 0
	for _, name := range append([]string{early, last, allScripts}, chartScripts()...) {
		file, _ := assets.Get(name)
		script += sent(t, file)
	}
	t.Logf("script %d KiB", script/kib)
	if script > 60*kib {
		t.Errorf("the page with charts takes %d bytes of script", script)
	}
	for _, name := range scripts() {
		if strings.Contains(name, "uPlot") {
			t.Error("every page loads uPlot")
		}
	}
}

func sent(t *testing.T, file Asset) int {
	t.Helper()
	if strings.HasSuffix(file.Name, ".woff2") {
		return len(file.Body)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file.Body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
