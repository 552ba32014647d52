package headline

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// What the name of an argument says about its value, by its last word that is no word for a name.

// roles are those words. Where a word could be several things, the most telling one counts.
var roles = func() map[string]Role {
	all := map[string]Role{}
	for role, list := range map[Role]string{
		Given: "role permission privilege policy access scope acl grant",
		Recipient: "assignee member user username principal grantee invitee guest recipient receiver beneficiary payee reviewer participant collaborator " +
			"employee worker email iban login to cc bcc attendee audience segment subscriber phone person contact owner_email subject_id sub",
		Manner: "method action operation op side direction mode state status verb transition event visibility privacy",
		Amount: "amount price total sum cost salary fee budget payment refund balance",
		Count:  "count quantity qty rows replicas size shares units seats",
		Where: "owner org organization organisation repo repository project account workspace team namespace cluster region zone location env environment stage " +
			"database db schema branch bucket cwd dir directory workdir channel room server host site space tenant subscription group vpc drive folder board base dataset registry domain",
		Text: "body message text content contents description comment html markdown prompt note notes reason summary justification explanation rationale caption docstring payload",
	} {
		for w := range strings.FieldsSeq(list) {
			all[w] = role
		}
	}
	return all
}()

// naming are words behind a thing that name it: page_id, pullNumber; generic ones name what the
// call acts on by themselves.
var (
	naming  = setOf("id ids number no num key keys name names slug uid uuid guid iid arn identifier ref path url")
	generic = setOf("id ids name title number key uid uuid slug arn identifier path file filename key resource target element subject url")
	title   = setOf("title subject headline")
	// ownWords are words of names that say on whose account a call is made, and fileWords those of
	// functions that act on files.
	ownWords  = setOf("google from sender acting requester requested reply")
	fileWords = setOf("file folder directory dir document path image attachment notebook csv pdf")
	tables    = setOf("table collection index topic queue")
	// far are flags by which a call reaches further.
	far = setOf("force recursive cascade hard all everything purge permanent permanently overwrite admin public sudo destroy delete bypass skip override descendants unpublished wipe")
	// shown are names of how an answer is shown, which tell no act from another.
	shown = setOf("page offset cursor sort order format verbose pretty fields expand per timezone locale language lang trace correlation idempotency currency")
	// people are names of lists of those who get something.
	people = setOf("to cc bcc attendee recipient invitee guest participant")
)

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}

// singular undoes the plurals of the words above.
func singular(word string) string {
	switch {
	case len(word) < 4 || strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us"):
		return word
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	}
	for _, end := range []string{"ches", "shes", "sses", "xes"} {
		if strings.HasSuffix(word, end) {
			return strings.TrimSuffix(word, "es")
		}
	}
	return strings.TrimSuffix(word, "s")
}

// stem are the words of a name without those that only say that it names something.
func stem(words []string) []string {
	for len(words) > 1 && naming[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}

// roleOf is the role of a value by its name, and by what it is.
func roleOf(n *call.Node) Role {
	if n.Kind() == canon.KindBool {
		return Flag
	}
	words := stem(n.Words)
	if len(words) == 0 {
		return Value
	}
	last := words[len(words)-1]
	role, ok := roles[last]
	if !ok {
		role, ok = roles[singular(last)]
	}
	switch number := n.Kind() == canon.KindNumber; {
	case !ok && number && strings.HasSuffix(last, "s") && len(last) > 4 && !measures[last]:
		return Count
	case !ok:
		return Value
	case role == Text && n.Kind() != canon.KindString, role == Amount && !number && !isNumber(n.Text()):
		return Value
	case role == Count && !number && !isNumber(n.Text()):
		return Value
	}
	return role
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") != text && strings.Trim(text, "-+0123456789.,") == ""
}

// secret are words of names of values that may be secret: no headline says those.
var secret = setOf("password passwd passphrase passcode pwd secret token apikey credential pin otp cvv cvc authorization auth cookie signature jwt bearer dsn")

// secretKeys are words before "key" that make it a secret.
var secretKeys = setOf("api secret access private auth encryption signing master")

// isSecret reports whether a name is that of a secret, and not of what names or counts one.
func isSecret(name []string) bool {
	if len(name) == 0 || beside[name[len(name)-1]] {
		return false
	}
	for i, w := range name {
		if namesSecret(w) || singular(w) == "key" && i > 0 && secretKeys[name[i-1]] {
			return true
		}
	}
	return false
}

// beside are last words of names that say something about a secret.
var beside = setOf("id ids name names arn address number count limit type path url uri version symbol ttl expiry expires budget policy scope scopes only max min")

// namesSecret reports whether a word is that of a secret.
func namesSecret(w string) bool {
	if secret[w] || secret[singular(w)] {
		return true
	}
	for _, part := range []string{"password", "passwd", "secret", "apikey", "credential"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

// held are names of what a secret store is given to keep.
var held = setOf("value values content contents data text string body plaintext payload")

// withoutSecrets says of each argument whether its value may be a secret: by its name, or by a
// function or a value beside it that names one. {secret: "db", value: …} names it by "secret".
func withoutSecrets(function []string, all []Argument) {
	keeps := false
	for _, w := range function {
		keeps = keeps || namesSecret(w) || w == "vault" || w == "keyvault"
	}
	for _, a := range all {
		if text := a.Values[0].Text(); len(text) <= longest && !strings.ContainsAny(text, " /.") {
			for _, w := range call.Words(text) {
				keeps = keeps || namesSecret(w) && a.Role != Where
			}
		}
	}
	value := false
	for i, a := range all {
		last := ""
		if len(a.Words) > 0 {
			last = a.Words[len(a.Words)-1]
		}
		all[i].Secret = a.Role != Flag && (isSecret(a.Words) || keeps && held[last])
		value = value || all[i].Secret && held[last]
	}
	for i, a := range all {
		if value && len(a.Words) == 1 && secret[a.Words[0]] && a.Words[0] == "secret" {
			all[i].Secret = false
		}
	}
}

// measures are plural words that count no things.
var measures = setOf("seconds minutes hours days weeks months years millis milliseconds bytes percents points degrees coordinates")
