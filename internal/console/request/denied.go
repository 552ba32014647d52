package request

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// deniedNotice says what was denied or blocked before that this is like, how often it was
// asked for, and why the answer was no. While the score is sealed the reason is, too, and
// so is the way to that request: both may name what the questions ask for.
func deniedNotice(say texts.Printer, v approvals.Review) views.Notice {
	held, d := v.Assessment.Remembered, v.Denied.Decision
	n := views.Notice{Tone: views.ToneWarn, Icon: views.IconBan}
	if held.Verdict == string(approvals.VerdictDeny) {
		n = present.Titled(n, present.SayAt(say, present.MomentForm, texts.Key("Asked %d times before; denied at %s by %s"), held.Times, held.At, held.By))
	} else {
		n = present.Titled(n, present.SayAt(say, present.MomentForm, texts.Key("Asked %d times before; blocked at %s by the policy"), held.Times, held.At))
	}
	switch {
	case v.Sealed:
		n.Text = untrusted.Runs(say.Say("You can read the reason once you've answered correctly."))
	case d != nil && held.Verdict == string(approvals.VerdictDeny):
		n.Text = Quoted(d.Reason)
	case d != nil:
		n.Text = untrusted.InEnglish(untrusted.Runs(present.Sentence(d.Reason)))
	}
	if !v.Sealed {
		n.Action = &views.Link{Label: say.Say("Show that request"), URL: urls.Request(v.Tenant, v.Denied.ID)}
	}
	return n
}
