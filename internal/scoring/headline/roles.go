package headline

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// What the name of an argument says about its value, by its last word that is no word for a name.

// roles are those words. Where a word could be several things, the most telling one counts.
var roles = func() map[string]Role {
	all := map[string]Role{}
	for role, list := range vocabulary().Roles {
		for w := range strings.FieldsSeq(list) {
			all[w] = role
		}
	}
	return all
}()

// naming are words behind a thing that name it: page_id, pullNumber; generic ones name what the
// call acts on by themselves.
var (
	naming  = words("naming")
	generic = words("generic")
	keys    = words("keys")
	title   = words("title")
	asides  = words("asides")  // of what is said of a thing, beside it
	remarks = words("remarks") // about a call
	titles  = words("titles")  // of what people call a thing
	// ownWords are words of names that say on whose account a call is made, and fileWords those of
	// functions that act on files.
	ownWords  = words("ownWords")
	fileWords = words("fileWords")
	tables    = words("tables")
	accounts  = words("accounts")
	// far are flags by which a call reaches further.
	far = words("far")
	// shown are names of how an answer is shown, which tell no act from another.
	shown = words("shown")
	// people are names of lists of those who get something, everyone values that mean all of them,
	// and towards words of names of whose account something goes to.
	people   = words("people")
	everyone = words("everyone")
	towards  = words("towards")
	// hooks are words of names of addresses that are called, newly of what something becomes, and changed of what
	// holds such values.
	hooks = words("hooks")
	newly = words("newly")
	// becoming are names of it that stand last, outermost of places around others, and sending of where data goes.
	becoming, outermost, sending = words("becoming"), words("outermost"), words("sending")
	// ranks are names of what a person may do, choosing of what says which ones are meant.
	ranks, choosing = words("ranks"), words("choosing")
	everyoneWord    = words("everyoneWord")
	changed         = words("changed")
	// chunks are words before a count that only say how the work is cut up.
	chunks = words("chunks")
	// confirming are words of flags that only say yes once more, kinds of names that say of which kind something is,
	// deciding of switches that say in which direction a call goes, and trying of those that say that it's only tried.
	confirming, kinds, deciding, trying = words("confirming"), words("kinds"), words("deciding"), words("trying")
	// sides are values that say who gives and who gets, mild those that are given to everybody, no those of what is
	// switched off, served folders from which web servers read, and containers names of what a thing is in.
	sides, mild, no, served, containers = words("sides"), words("mild"), words("no"), words("served"), words("containers")
	// asked are names of those who are asked, and holding words of flags that hold something back.
	asked, holding = words("asked"), words("holding")
	// records are those of a domain that say who answers for it, and who gets its mail.
	records = words("records")
	// keeps are words of flags that keep something, and when values that only say at what time.
	keeps, when = words("keeps"), words("when")
	// undone are values of a guard that guards no more.
	undone = words("undone")
	// freemail are those with whom anybody may have an address, and risky fields of manifests that leave a container.
	freemail, risky = words("freemail"), words("risky")
	// actors are words of names of who does it, checked of flags that should be true, bold of those that shouldn't, ends of
	// names of when something is over, and negating of what turns round the meaning of what stands in it.
	actors, checked, bold, ends, negating = words("actors"), words("checked"), words("bold"), words("ends"), words("negating")
	parts, lasting                        = words("parts"), words("lasting") // of a whole, and of what is deleted for good
	// setting are verbs that change a thing as a whole, and not one person's access to it.
	setting = words("setting")
)

//go:embed words.yaml
var wordsYAML []byte

// vocabulary are the words of words.yaml.
var vocabulary = sync.OnceValue(func() (v struct {
	Roles map[Role]string
	Words map[string]string
	// Levels are those of GitLab.
	Levels map[string]string
	// Acts are words of functions and states, by what follows.
	Acts map[string]string
	// Becomes is what a box says of what is lost, by the consequence.
	Becomes map[string]string
},
) {
	if err := yaml.Unmarshal(wordsYAML, &v); err != nil {
		panic("headline: the embedded words: " + err.Error()) // a test loads them
	}
	return v
})

// words are those of a list of words.yaml.
func words(list string) map[string]bool {
	text, ok := vocabulary().Words[list]
	if !ok {
		panic("headline: words.yaml has no " + list)
	}
	all := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
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
	if accounts[last] && slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return towards[w] }) {
		return Recipient
	}
	switch number := n.Kind() == canon.KindNumber; {
	case !ok && number && singular(last) != last && len(last) > 4 && !measures[last]:
		return Count
	case !ok:
		return Value
	case role == Text && (n.Kind() != canon.KindString || !strings.ContainsAny(n.Text(), " \n") && strings.ContainsAny(n.Text(), "./@:")), role == Amount && !number && !isNumber(n.Text()):
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
var secret = words("secret")

// secretKeys and secretCodes are words before "key" and "code" that make it a secret.
var secretKeys, secretCodes = words("secretKeys"), words("secretCodes")

// isSecret reports whether a name is that of a secret, and not of what names or counts one.
func isSecret(name []string) bool {
	if len(name) == 0 || beside[name[len(name)-1]] {
		return false
	}
	for i, w := range name {
		if namesSecret(w) || i > 0 && (singular(w) == "key" && secretKeys[name[i-1]] || singular(w) == "code" && secretCodes[name[i-1]]) {
			return true
		}
	}
	return false
}

// beside are last words of names that say something about a secret.
var beside = words("beside")

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
var held = words("held")

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
		digits := a.Values[0].Text() + a.Values[0].Number()
		pin := len(a.Words) == 1 && last == "code" && len(digits) >= 4 && len(digits) <= 10 && strings.Trim(digits, "0123456789") == "" // of a door
		plain := no[digits] || digits == "true" || last == "dsn" && !strings.ContainsAny(digits, ":@;")                                 // how something is set, and what is named
		all[i].Secret = a.Role != Flag && !plain && len(digits) > 2 && (isSecret(a.Words) || keeps && (held[last] || slices.Contains(call.Words(a.Name), "data")) || pin)
		if all[i].Secret {
			all[i].Weight = weightSecret
		}
		value = value || all[i].Secret && held[last]
	}
	for i, a := range all {
		if value && len(a.Words) == 1 && secret[a.Words[0]] && a.Words[0] == "secret" {
			all[i].Secret = false
		}
	}
}

// measures are plural words that count no things.
var measures = words("measures")
