package approvals

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// What a call does, as a quiz asks for it, and what it could do instead.

// operation asks what the call does: verb and object, against what others do, or
// other verbs on the same object.
func operation(a Approval, others *elsewhere) subject {
	return subject{kind: "operation", prompt: "What would this do?", value: a.operation(), strata: others.operations, others: others}
}

// operation is verb and object of an approval, e.g. "Delete a user".
func (a Approval) operation() string {
	action, err := a.Parsed()
	if err != nil {
		return ""
	}
	return action.Hidden(a.Assessment)
}

// trades are verbs that stand for each other, and what they are done to: a word of the
// object. Nobody drains a user, so that none of them tells. Of words that mean the same
// one is offered at most.
var trades = []struct{ things, verbs string }{
	{
		"access account admin contact customer employee group guest key keys member members password people permission person role session team tenant token user users",
		"Activate/Enable Add/Create Archive Change/Edit/Update Deactivate/Disable Delete/Remove Grant Invite Block/Lock/Suspend Merge Rename Reset Restore Revoke Rotate Unlock",
	},
	{
		"cluster container deployment host instance job jobs machine node nodes pod pods process queue replica server service services site task worker",
		"Create Delete/Remove Deploy Drain Migrate/Move Pause/Suspend Reboot/Restart Resume Retry Rollback Scale Schedule Shutdown/Stop Start Update/Upgrade",
	},
	{
		"bill bills budget card credit expense funds invoice invoices money order orders payment payments payout purchase refund salary subscription wallet",
		"Approve Book Cancel Charge Create Freeze/Hold Move/Transfer Pay Place Refund Reject Release Schedule Send Split Withdraw",
	},
	{
		"email emails letter mail message messages news newsletter notification notifications post reminder sms survey",
		"Archive Cancel Delete Draft Edit Forward Pin Post/Send Read Resend Schedule Translate",
	},
	{
		"backup bucket collection data database directory document documents export file files folder image index mailbox object objects path record records report row rows snapshot table topic volume",
		"Archive Copy Create Delete/Purge/Truncate Download Encrypt Export Import/Upload Merge Migrate/Move Read Rename Replace Restore Share Update",
	},
	{
		"api callback endpoint flag hook monitor rule schedule trigger webhook webhooks",
		"Add/Create/Register Call/Trigger Change/Edit/Update Delete/Remove Disable/Pause Enable Move Rename Replace Test",
	},
	{
		"branch code commit issue package project pull release repo repository tag ticket",
		"Approve Archive Assign Close Create Delete Deploy Edit/Update Fork Lock Merge Move/Transfer Open/Reopen Publish Rebase Rename Restore/Revert",
	},
	{"to", "Append/Write Commit Copy Export Force-push Import Merge Publish Push Sync Upload"},
}

// statements are words of statements and commands that stand for each other.
var statements = []string{
	"Call Eval Execute Invoke Perform Trigger",
	"SELECT INSERT UPDATE DELETE DROP ALTER TRUNCATE MERGE",
	"apply delete describe drain exec patch replace restart rollout scale",
	"checkout clean clone commit fetch merge pull push rebase reset revert tag",
	"cat chmod chown cp curl dd kill ln ls mv rm rsync scp tar touch",
	"bash docker helm java make mysql node perl php psql python ruby ssh terraform",
	"benchmarks code diagnostics migrations playbooks queries reports tests",
}

// verbs are those of facts that are about as long as this one, so that the length of none
// tells; nil where it is none of them.
func verbs(like string) (all []string) {
	for _, v := range facts.Verbs() {
		if lengthOf(v) == lengthOf(like) {
			all = append(all, strings.ToUpper(v[:1])+v[1:])
		}
	}
	if !slices.Contains(all, like) {
		return nil
	}
	return all
}

// lengthOf is 2 for words of 3 to 4 letters, 3 of 5 to 6, 4 of 7 and more.
func lengthOf(verb string) int { return min((len(verb)+1)/2, 4) }

// oneOf reports whether a word is among these, of which each can be several.
func oneOf(like []string, word string) bool {
	return slices.ContainsFunc(like, func(v string) bool { return slices.Contains(strings.Split(v, "/"), word) })
}

// instead are the words that could stand in place of one of the words, that one included;
// nil where none is known.
func instead(words []string, at int) []string {
	if at == 0 {
		for _, t := range trades {
			like := strings.Fields(t.verbs)
			if oneOf(like, words[0]) && slices.ContainsFunc(strings.Fields(t.things), func(thing string) bool { return slices.Contains(words[1:], thing) }) {
				return like
			}
		}
		if like := verbs(words[0]); like != nil {
			return like
		}
	}
	for _, class := range statements {
		if like := strings.Fields(class); oneOf(like, words[at]) {
			return like
		}
	}
	return nil
}

// otherVerbs does something else to the same object: it exchanges the last of its
// words that is a verb, or else what is run.
func (s subject) otherVerbs(random *rand.Rand) (values []string, how strength) {
	words := strings.Fields(s.value)
	for i, w := range slices.Backward(words) {
		like := instead(words, i)
		if like == nil {
			continue
		}
		var cell []candidate
		for _, v := range like {
			same := strings.Split(v, "/")
			v = same[random.IntN(len(same))]
			if slices.Contains(same, w) {
				v = w
			}
			made := strings.Join(append(append(slices.Clone(words[:i]), v), words[i+1:]...), " ")
			if v == w || s.others.all[made] == 0 {
				cell = append(cell, candidate{made, float64(len(same))})
			}
		}
		right := slices.IndexFunc(cell, func(c candidate) bool { return c.value == s.value })
		values, fit := sample(cell, right, random)
		return values, how.of(fair, fit)
	}
	what, runs := strings.CutPrefix(s.value, "Run ")
	values, _ = fresh(what, s.kind, s.others, random)
	for i := range values {
		if runs {
			values[i] = "Run " + values[i]
		}
	}
	return values, weak
}
