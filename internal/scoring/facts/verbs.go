package facts

import (
	"strings"
)

// verbs are the words of function names that say what is done, by class.
var verbs = func() map[string]int {
	classes := map[string]int{}
	for class, words := range map[int]string{
		changes: "delete remove drop destroy purge truncate kill erase wipe clear reset terminate revoke disable cancel uninstall detach " +
			"deactivate suspend ban block unlink prune invalidate " +
			"write update modify set create send deploy push publish transfer pay refund charge withdraw transmit post put patch " +
			"restart stop start pause resume scale rotate grant add insert upload import export move rename copy merge rebase approve reject " +
			"close open assign unassign invite enable install upgrade downgrade rollback revert restore archive append edit change replace " +
			"apply attach configure commit submit schedule reboot shutdown migrate promote demote sync subscribe unsubscribe notify reply " +
			"forward release cancel book order buy sell place mark lock unlock tag label register provision rebuild flush sign encrypt decrypt",
		reads: "read get list fetch search find check show describe count view lookup query download inspect summarize preview validate verify " +
			"test ping watch browse scan analyze compare",
		runs: "run execute exec call invoke eval trigger perform",
	} {
		for word := range strings.FieldsSeq(words) {
			classes[word] = class
		}
	}
	return classes
}()

// The classes of verbs.
const (
	unknown = iota
	runs    // says nothing: what is run decides
	reads
	changes
)
