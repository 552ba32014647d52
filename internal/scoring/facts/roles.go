package facts

import "strings"

// The words of names of arguments that say what they are in an act.

// said by name: the last words of names of arguments, by role, the most telling first.
var roles = map[role]map[string]int{
	who: ordered("assignee member user username principal grantee invitee guest recipient receiver beneficiary payee reviewer participant collaborator employee worker owner " +
		"email iban login to cc bcc responder attendee audience segment subscriber list"),
	given: ordered("role permission privilege policy access scope acl grant level"),
	becomes: ordered("status state stage dealstage transition enabled disabled active archived blocked locked paused visibility public private replica value content price amount rate salary side qty quantity " +
		"symbol sku location city origin command cidr cidrip ip port range image key branch revision version operation resolution priority size capacity memory timeout attachment file media photo document path"),
	said: ordered("subject title headline summary text body message payload content caption comment query jql logql sql soql q filter search expr expression statement prompt question description note"),
}

func ordered(list string) map[string]int {
	all := map[string]int{}
	for i, w := range strings.Fields(list) {
		all[w] = i
	}
	return all
}

// unsaid are words of names of arguments that tell no act from another: how a result is shown,
// what makes a call unique, why it is sent; and secret those of what no page shows.
var (
	unsaid = words("google page offset cursor format sort direction verbose pretty sha etag nonce timezone tz lang language locale reason justification rationale explanation " +
		"session thread ts idempotency trace correlation currency mime mimetype encoding returning perpage pagesize hcl category tags metadata context parsing force recursive cascade hard " +
		"directory cwd workdir all everything confirm dry dryrun validate include including includes max maximum per patchtype")
	secret = words("password passwd passphrase passcode pass pwd secret token apikey credential pin otp cvv cvc authorization auth cookie signature jwt bearer recovery dsn connection answer " +
		"header env var variable environ")
	// asides are objects around what is no part of the act.
	asides = words("annotation metadata meta context label tag header env var variable environment secret credential")
	// Generic names say nothing without the one around them; wrappers are around others.
	generic  = words("id ids name value body text content address key uid login email display html plain raw identifier")
	moments  = words("date time datetime")
	wrappers = words("data body request params parameters input inputs payload arguments args kwargs properties property fields field attributes spec set update updates changes " +
		"values options config configs configuration settings item items record records object objects variants entries operations actions overrides patch")
	// Claims are an agent's words about its act, unless they are what the act is about.
	claims    = words("comment note description message caption payload")
	spoken    = words("comment message note reply post description worklog")
	filtering = words("filter filters where match criteria conditions selector condition")
)
