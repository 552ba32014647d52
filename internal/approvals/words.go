package approvals

import (
	"slices"
	"strings"
	"unicode"
)

// The words that stand in for words in the wrong options of a quiz: another word
// of the same length that could stand there, so that spelling tells nothing.

// classes are words that stand for each other; a word of none of them is
// replaced by one of the last.
var classes = []string{
	"com org net dev app",
	"eu us uk ap de fr",
	// environments
	"prod test demo beta " + "stage local pilot trial " + "staging testing sandbox preview nightly " +
		"production acceptance experiment evaluation " + "development integration maintenance performance " + "prd stg dev tst",
	// given names and surnames, in addresses
	"ada ben eva ida ian leo mei max roy sam tom zoe ali may kim lee fox lin " +
		"anna dana emil erik ines ivan jane jose lena lisa mark mona nina omar paul ruth sara tina yuki hall king ross shah wood cole lind cruz moss " +
		"aisha alice bruno carla chloe david diana elena emily farid frank grace helen hugo jonas karim laura maria mateo nadia oscar oskar peter priya simon sofia tomas aziz braun brown clark costa evans green jones lopez novak patel rossi silva smith tanak young " +
		"amelia andrea carmen daniel fatima hassan isabel johann martin miriam monica olivia philip rachel robert sandra stefan teresa thomas victor bailey becker cooper fisher garcia harris kovacs larsen mendes miller murphy nguyen parker romero santos tanaka turner walker weaver " +
		"abigail anthony barbara camilla charles claudia dominic frances gabriel ibrahim jessica katrina leonard michael natalia patrick rebecca richard valerie vincent william bennett collins edwards farrell gilbert hoffman jackson johnson keating lambert mueller navarro osborne perkins ramirez simmons thomson vasquez wheeler wilkins",
	// what systems, tables, teams and files are called
	"api app bot cdn cli crm csv dns erp ftp git hub job jwt key lab log map mfa net pay pos pub raw rpc sdk sms sql sso sub sys tag tax top url usr vat vpn web xml " +
		"auth beta book cart cash cold crew deal disk edge feed form game goal host jobs lead list load main mesh mode path plan post rate role rule seat self site spec sync task term text tool type view wiki " +
		"admin alert badge brand chart clock color drive field graph guide inbox input large legal local media money offer owner phone pilot point price queue rates reply rules scope shard small staff stock tasks theme tower track usage video voice " +
		"access alerts beacon budget canvas cohort config course device editor events fields future guests inputs ledger loader master metric motion object orders parser points public reader region retail router secure server single status submit system tokens trades vendor wallet winter " +
		"account article billing catalog clients command context current details display exports folders history indexer journal listing manager message modules numbers outputs payment picture pointer printer product queries refunds reports reviews savings servers setting spender summary targets trading vendors wallets widgets " +
		"accounts archives billings business catalogs clusters consumer database deposits dispatch employee explorer feedback frontend hardware incident journals licenses managers merchant monitors offering partners payments policies presence profiles provider receipts reminder resource rollback security services software students template transfer vehicles warranty " +
		"addresses assistant customers databases directory documents educators estimates followers functions guarantee incidents languages locations mainframe merchants migration observers operators parameter personnel platforms printings processor providers quotation reference renderers reporting responses scheduler screening sequences standards suppliers technical templates transfers validator warehouse " +
		"accounting activities appliances attachment broadcasts collection compliance components containers dashboards directives encryption evaluation extensions federation government industries inspection investment management monitoring navigation onboarding parameters permission programmes promotions properties publishing references relational reputation scheduling statistics storefront techniques television tournament validation wholesaler " +
		"maintenance performance integration marketplace environment fulfillment procurement acquisition advertising application development engineering information partnership recruitment reservation transaction translation " +
		"subscription notification announcement architecture registration verification distribution transactions applications certificates ",
}

// maxWord is the length of the longest word that has others of its length.
const maxWord = 12

// wordsLike are the words that could stand for this one, itself among them: those of
// its class that are as long, and for a word of no class those of the last one.
func wordsLike(word string) (any []candidate) {
	if len(word) > maxWord {
		return nil
	}
	lower := strings.ToLower(word)
	for i, class := range classes {
		all := strings.Fields(class)
		if i < len(classes)-1 && !slices.Contains(all, lower) {
			continue
		}
		if !slices.Contains(all, lower) {
			all = append(all, lower)
		}
		seen := map[string]bool{}
		for _, w := range all {
			if len(w) == len(word) && !seen[w] && ending(w) == ending(lower) {
				seen[w] = true
				any = append(any, candidate{likeCase(w, word), 1})
			}
		}
		if len(any) >= quizOptions {
			return any
		}
		any = nil
	}
	return nil
}

// ending sorts words by how they end: a plural stands among plurals.
func ending(word string) string {
	for _, e := range []string{"ing", "ion", "er", "s"} {
		if strings.HasSuffix(word, e) {
			return e
		}
	}
	return ""
}

// likeCase writes a word with the capitals of another one.
func likeCase(word, like string) string {
	b := []byte(word)
	for i := range b {
		if unicode.IsUpper(rune(like[i])) {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// wordsIn lists the runs of at least two letters of a value, by their range; no
// run that a letter outside of a–z touches.
func wordsIn(runes []rune) (ranges [][2]int) {
	for i := 0; i < len(runes); {
		from, plain := i, true
		for ; i < len(runes) && unicode.IsLetter(runes[i]); i++ {
			plain = plain && runes[i] < unicode.MaxASCII
		}
		if plain && i-from >= 2 {
			ranges = append(ranges, [2]int{from, i})
		}
		if i == from {
			i++
		}
	}
	return ranges
}
