package scan

import (
	"unicode"
	"unicode/utf8"
)

// Letters that pass for Latin ones. NFKC has folded full width, mathematical, superscript,
// circled and squared letters before. The pairs are those of Unicode's confusables
// (UTS #39) whose skeleton is one Latin letter, and what people use who write "fancy"
// text: Cherokee, Lisu, the syllabics of Canada, pictures of capitals. What has no case of
// its own passes for small letters, because that is how commands and names are written.

// lookalikes are Latin letters, and in the same order the letters that pass for them.
type lookalikes struct{ latin, others string }

// alike are letters that most fonts draw as Latin ones.
var alike = []lookalikes{
	// Greek
	{"aiknvopuxcjABEZHIKMNOPTYXJF", "αικηνορυχςϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧͿϜ"},
	// Cyrillic
	{"acdehijlopqswxyvuABCEHIJKMOPSTXYIQWV", "асԁеһіјӏорԛѕԝхуѵүАВСЕНІЈКМОРЅТХҮӀԚԜѴ"},
	// Armenian
	{"onuhgqjOULS", "օոսհցզյՕՍԼՏ"},
	// Coptic
	{"BEHIKMNOoPpCcTXYZ", "ⲂⲈⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲬⲨⲌ"},
	// Cherokee; its small letters come by their distance
	{"drtiyajewmhyghzbrwsvslcpkdgboigu", "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴᎾᏆᎶᏌ"},
	// Lisu
	{"bpddtgkjczfmnlsrvhwxyaeiou", "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"},
	// Canadian syllabics
	{"aabcddefghjjlmnpqrsuvwxzd", "ᗩᗅᗷᑕᗪᗞᗴᖴᘜᕼᒍᒎᒪᗰᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔᑯ"},
	// Old Italic, Lycian, Carian, Deseret, Osage
	{"abcimtxobefxopstabcdfomtyxhoclsocsrouou", "𐌀𐌁𐌂𐌉𐌑𐌕𐌗𐌏𐊂𐊆𐊇𐊐𐊒𐊕𐊖𐊗𐊠𐊡𐊢𐊣𐊥𐊫𐊰𐊱𐊲𐊴𐋏𐐄𐐕𐐛𐐠𐐬𐐽𐑈𐒴𐓂𐓎𐓪𐓶"},
	// small capitals
	{"abcdefghijklmnopqrstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"},
	// other Latin letters and symbols
	{"iagvfbjriey", "ıɑɡʋƒƅȷɼ⍳℮ỿ"},
}

// akin are letters that pass for Latin ones at a glance, in italics, or as small capitals.
var akin = []lookalikes{
	// Greek
	{"ytowebCr", "γτσωεβΣΓ"},
	// Cyrillic
	{"brekmhtiwgbnu3GbRRNwWfeknEI", "вгёкмнтїѡԍьпиЗԌЬЯяИшШғҽқңЁЇ"},
	// Armenian
	{"wnnl", "աղռլ"},
	// Coptic
	{"abdehikmntuxwr", "ⲁⲃⲇⲉⲏⲓⲕⲙⲛⲧⲩⲭⲱⲅ"},
	// other Latin letters
	{"iqrruufbs", "ɩǫꭇᴦꭎꭒꬵƄƨ"},
}

// likeLatin is what each of those letters passes for, and likeAtAGlance whether it is akin.
var likeLatin, likeAtAGlance = func() (latin map[rune]byte, glance map[rune]bool) {
	latin, glance = map[rune]byte{}, map[rune]bool{}
	for _, pairs := range append(alike[:len(alike):len(alike)], akin...) {
		next := 0
		for _, r := range pairs.others {
			latin[r] = pairs.latin[next]
			next++
		}
	}
	for _, pairs := range akin {
		for _, r := range pairs.others {
			glance[r] = true
		}
	}
	return latin, glance
}()

// nearLookalikes is likeLatin up to Armenian, for speed.
var nearLookalikes = func() (near [0x0590]byte) {
	for r, latin := range likeLatin {
		if r < rune(len(near)) {
			near[r] = latin
		}
	}
	return near
}()

// Lookalike is the Latin letter that a letter of another script, a small capital or a
// picture of a letter passes for; 0 for none. alike says that most fonts draw the two the
// same, or that it is meant as that letter.
func Lookalike(r rune) (latin byte, alike bool) {
	latin = lookalike(r)
	return latin, latin != 0 && !likeAtAGlance[r]
}

// lookalike is Lookalike without the second answer.
func lookalike(r rune) byte {
	const cherokee, smallCherokee, lastSmallCherokee = 0x13a0, 0xab70, 0xabbf
	switch {
	case r < rune(len(nearLookalikes)):
		return nearLookalikes[max(r, 0)]
	case 0x3000 <= r && r < 0xa000, 0xac00 <= r && r < 0xe000: // Han, kana, Hangul: most of what is beyond Latin
		return 0
	case smallCherokee <= r && r <= lastSmallCherokee:
		return likeLatin[r-smallCherokee+cherokee]
	}
	for _, a := range [...]rune{
		0x1f1e6, // regional indicators, of which two make a flag
		0x1f150, // negative circled
		0x1f170, // negative squared
		0x1ccd6, // outlined
	} {
		if a <= r && r < a+26 {
			return 'a' + byte(r-a)
		}
	}
	return likeLatin[r]
}

// isMark reports whether r stands on the letter before it: an accent, a stroke through it,
// a circle around it.
func isMark(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) }

// isLatin reports whether r is a letter or digit of ASCII, or passes for one.
func isLatin(r rune) bool {
	return r < utf8.RuneSelf && (isLetter(byte(r)) || '0' <= r && r <= '9') || lookalike(r) != 0
}
