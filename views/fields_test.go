package views_test

import (
	"context"
	"html"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// kept are fields that no sample can show.
var kept = map[string]string{
	"AuditProof.Stored":      "the console compares it",
	"Decision.NotBeforeText": "the console puts it into a sentence",
	"ListRow.State":          "the console filters by it",
	"ListGroup.Folds":        "the console folds by it",
	"Run.English":            "drawn where the page is in another language",
}

// breakout is a text that leaves an attribute and an element where it is not escaped.
const breakout = `x"><i-am-here y='`

// TestEveryFieldIsDrawn changes one field of one sample at a time: one that changes nothing in
// any sample is not drawn, and a text must be on the page as it was given. Nothing that is
// empty, and no text in any place, breaks a page or out of its element.
func TestEveryFieldIsDrawn(t *testing.T) {
	t.Parallel()
	f := fields{t: t, done: map[string]bool{}}
	for _, all := range []map[string]sample{parts(), every()} {
		for name, s := range all {
			f.name, f.sample = name, s
			f.before = f.draw()
			f.escaped()
			for i, v := range s.from {
				if v.Kind() == reflect.Pointer { // a component may need it
					v = v.Elem()
				}
				walk(s.component.Type().In(i).String(), v, f.change)
			}
		}
	}
	drawn := 0
	for field, ok := range f.done {
		if ok {
			drawn++
		} else {
			t.Errorf("%s is not drawn", field)
		}
	}
	t.Logf("%d fields in %d pages", drawn, f.draws)
	if drawn < 1300 {
		t.Errorf("found %d fields: the test no longer sees them", drawn)
	}
}

type fields struct {
	t      *testing.T
	name   string
	sample sample
	before string
	done   map[string]bool // Type.Field: whether a sample draws it
	draws  int
}

func (f *fields) draw() string {
	f.draws++
	var page strings.Builder
	if err := f.sample.Render(templ.WithNonce(context.Background(), nonce), &page); err != nil {
		f.t.Fatalf("%s: %v", f.name, err)
	}

	if strings.Contains(page.String(), "<i-am-here") {
		f.t.Errorf("%s: a text is not escaped", f.name)
	}

	return page.String()
}

// walk visits a value, which the field of that name holds, and what is in it.
func walk(field string, v reflect.Value, visit func(field string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Invalid:
		return
	case reflect.Pointer:
		walk(field, v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(field, v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Type().Name()+"."+v.Type().Field(i).Name, v.Field(i), visit)
		}
	}
	visit(field, v)
}

// change puts other values into a field, one after the other.
func (f *fields) change(field string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		f.try(field, v, reflect.ValueOf(breakout).Convert(v.Type()))
	case reflect.Bool:
		f.try(field, v, reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.Int, reflect.Uint8:
		for n := range 6 { // an enum may draw some of its values alike
			f.try(field, v, reflect.ValueOf(n).Convert(v.Type()))
		}
	case reflect.Pointer, reflect.Slice:
		f.try(field, v, reflect.Zero(v.Type()))
	}
}

// try draws the sample with another value in one place.
func (f *fields) try(field string, v, other reflect.Value) {
	if f.done[field] || kept[field] != "" || reflect.DeepEqual(v.Interface(), other.Interface()) {
		return
	}
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(other)
	page := f.draw()
	v.Set(old)
	f.done[field] = page != f.before && (v.Kind() != reflect.String || strings.Contains(page, html.EscapeString(breakout)))
}

// escaped draws the sample with that text everywhere.
func (f *fields) escaped() {
	var texts []reflect.Value
	var old []string
	for _, v := range f.sample.from {
		walk("", v, func(_ string, v reflect.Value) {
			if v.Kind() == reflect.String {
				texts, old = append(texts, v), append(old, v.String())
				v.SetString(breakout)
			}
		})
	}
	f.draw()
	for i := len(old) - 1; i >= 0; i-- { // a value may be in two places
		texts[i].SetString(old[i])
	}
}
