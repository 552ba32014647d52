package scan

// lookalikeLeads are the bytes with which lookalikes begin; lookalikeSeconds has a bit for
// the lower six of each byte behind such a one.
var lookalikeLeads, lookalikeSeconds = func() (all traits, seconds [256]uint64) {
	for r := range lookalikes {
		all |= leads(string(r))
		seconds[string(r)[0]] |= 1 << (string(r)[1] & 63)
	}
	return all, seconds
}()

// lookalike is the Latin letter that a letter of another script looks like, or 0.
// The pairs are those of Unicode's confusables (UTS #39) whose skeleton is one Latin
// letter, for Greek, Cyrillic, Armenian and a few Latin letters beyond ASCII, and
// the small capitals that a Cyrillic font gives for k, m, t and h. NFKC has folded
// the rest before (full width, mathematical, circled).
func lookalike(r rune) byte {
	switch {
	case r < 0x0251:
		return 0
	case r < rune(len(nearLookalikes)):
		return nearLookalikes[r]
	case 0x1d0f <= r && r <= 0x1d22 || 0x2c82 <= r && r <= 0x2caf:
		return lookalikes[r]
	}
	return 0
}

// nearLookalikes is lookalikes up to Armenian, for speed.
var nearLookalikes = func() (near [0x0590]byte) {
	for r, latin := range lookalikes {
		if r < rune(len(near)) {
			near[r] = latin
		}
	}
	return near
}()

var lookalikes = map[rune]byte{
	'ɑ': 'a', 'ɡ': 'g', 'ɩ': 'i', 'ɪ': 'i', 'ʀ': 'r', 'ᴏ': 'o', 'ᴜ': 'u', 'ᴠ': 'v', 'ᴡ': 'w', 'ᴢ': 'z',
	// Greek
	'α': 'a', 'γ': 'y', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o', 'υ': 'u', 'χ': 'x', 'ϲ': 'c', 'ϳ': 'j', 'τ': 't', 'ω': 'w', 'η': 'n', 'ε': 'e',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X', 'Ϲ': 'C', 'Ϳ': 'J',
	// Cyrillic
	'а': 'a', 'в': 'b', 'г': 'r', 'е': 'e', 'ё': 'e', 'к': 'k', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x', 'ѕ': 's', 'і': 'i', 'ї': 'i', 'ј': 'j',
	'ѵ': 'v', 'ѡ': 'w', 'һ': 'h', 'ӏ': 'l', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w', 'ԍ': 'g', 'ь': 'b', 'п': 'n', 'и': 'u',
	'А': 'A', 'В': 'B', 'Е': 'E', 'З': '3', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T', 'У': 'Y', 'Х': 'X', 'Ѕ': 'S', 'І': 'I', 'Ј': 'J', 'Ѵ': 'V', 'Ӏ': 'I', 'Ԛ': 'Q', 'Ԝ': 'W', 'Ԍ': 'G', 'Ь': 'b',
	// Armenian and Coptic
	'ս': 'u', 'օ': 'o', 'ո': 'n', 'հ': 'h', 'ց': 'g', 'զ': 'q', 'Ս': 'U', 'Օ': 'O', 'Տ': 'S', 'Լ': 'L',
	'Ⲃ': 'B', 'Ⲉ': 'E', 'Ⲏ': 'H', 'Ⲓ': 'I', 'Ⲕ': 'K', 'Ⲙ': 'M', 'Ⲛ': 'N', 'Ⲟ': 'O', 'ⲟ': 'o', 'Ⲣ': 'P', 'ⲣ': 'p', 'Ⲥ': 'C', 'ⲥ': 'c', 'Ⲧ': 'T', 'Ⲭ': 'X',
}
