package console

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Changing the arguments of what waits, where the policy allows it.

// maxEditForm bounds the form of an edit: the largest arguments that there can be,
// percent-encoded.
const maxEditForm = 3*canon.MaxBytes + 4<<10

// editPath is where it goes.
const editPath = "/t/:tenant/approvals/:id/edit"

// editPage shows the form. Whoever may not edit is shown the request.
func (s *Console) editPage(c edge.Call) error { return s.showEdit(c, http.StatusOK, nil, "") }

// edit takes the form.
func (s *Console) edit(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	in := approvals.EditInput{Arguments: c.Request().PostForm.Get("arguments"), Digest: c.Field("digest")}
	if in.Version, err = strconv.ParseInt(c.Field("version"), 10, 64); err != nil {
		err = fault.Member(fault.InvalidForm, "version", "the version is the number that the page carries")
	}
	if err == nil {
		err = c.Unlocked()
	}
	if err == nil {
		_, err = s.Approvals.Edit(c.Request().Context(), c.Member, id, in)
	}
	if err == nil {
		return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showEdit(c, httpserver.Status(f.Code), f, c.Field("arguments"))
}

// showEdit draws the form: with the arguments as they are, or after a refusal with
// what was typed.
func (s *Console) showEdit(c edge.Call, status int, refused *fault.Error, typedText string) error {
	ctx := c.Request().Context()
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	v, err := s.Approvals.Show(ctx, c.Member, id)
	if err != nil {
		return err
	}
	if !v.MayEdit || c.Locked {
		if refused != nil {
			return s.showRequest(c, status, request.Typed{Fault: refused})
		}
		return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
	}
	q, err := s.waiting(ctx, c.Member, request.Filter{}, id)
	if err != nil {
		return err
	}
	return edge.Show(c, status, review.EditPage(s.livePage(c, c.Say.Say("Edit: %s", request.TitleOf(c.Say, v, nil)), q, id), q.View(), editOf(c.Say, v, refused, typedText)))
}

// editOf is the form of an edit.
func editOf(say texts.Printer, v approvals.Review, refused *fault.Error, typedText string) review.Edit {
	e := review.Edit{
		URL: urls.Edit(v.Tenant, v.ID), Page: urls.Request(v.Tenant, v.ID), Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10),
		Sentence: present.HeadlineOf(say, v.Subject().Parts), Level: present.LevelOf(v.Assessment.Level), Left: present.TimeLeft(say, v.Approval, v.Now),
		Text: editable(v.Action.Arguments()),
		Rules: []string{
			say.Say("The edited action gets its own digest and is scored again under the current policy."),
			say.Say("It's never treated less strictly than now: %s, %s.", present.LevelWord(say, v.Assessment.Level), say.Key(request.ChallengeWords[v.Treatment.Challenge])),
			say.Say("Everyone reviews it again: earlier approvals and answers no longer count."),
			say.Say("What the agent proposed is kept, and the audit trail says who edited it."),
			say.Say("Saving doesn't approve anything. Once approved, the agent can run exactly what you wrote."),
		},
	}
	if refused != nil {
		e.Text = typedText
		if refused.Member == "arguments" {
			e.Error = present.Because(say, refused) + "."
		} else {
			e.Notices = append(e.Notices, request.RefusalNotice(say, refused))
		}
	}
	e.Rows = max(8, min(strings.Count(e.Text, "\n")+2, 28))
	return e
}

// editable is JSON to be edited: with line breaks where that is not too long, and
// with an escape in place of every character that cannot be seen or looks like
// another one. It parses to the same value.
func editable(arguments canon.Value) string {
	text := request.Pretty(arguments)
	if len(text) > canon.MaxBytes/2 {
		text = string(arguments.Canonical())
	}
	if text == "" {
		return "{}"
	}
	var b strings.Builder
	for _, run := range untrusted.Runs(text) {
		code, marked := strings.CutPrefix(run.Code, "U+")
		if r, err := strconv.ParseUint(code, 16, 32); marked && err == nil {
			escape(&b, rune(r))
			continue
		}
		if run.Raw != "" { // folded
			b.WriteString(run.Raw)
			continue
		}
		b.WriteString(run.Text)
	}
	return b.String()
}

// escape writes a character as JSON can.
func escape(b *strings.Builder, r rune) {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
