package scan

import "testing"

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, plain string
		obfuscated  bool
	}{
		{"delete_user", "delete_user", false},
		{"d\ufe0felete_user", "delete_user", true},
		{"d\U000e0100elete_user", "delete_user", true},
		{"d\uffa0elete", "delete", true},
		{"d\u3164elete", "delete", true},
		{"d\u115felete", "delete", true},
		{"d\u200belete", "delete", true},
		{"\u202eresu_eteled", "resu_eteled", true},
		{"ᴅᴇʟᴇᴛᴇ_user", "delete_user", true},
		{"ᴅʀᴏᴘ ᴛᴀʙʟᴇ ꜱᴇᴄʀᴇᴛꜱ", "drop table secrets", true},
		{"ꓓelete", "delete", true},
		{"ꓓꓰꓡꓰꓔꓰ", "delete", true},
		{"ᎠᎬᏞᎬᎢᎬ", "delete", true},
		{"ꭰꭼꮮꭼꭲꭼ", "delete", true},
		{"🇩🇪🇱🇪🇹🇪", "delete", true},
		{"🅳🅴🅻🅴🆃🅴", "delete", true},
		{"ⓓⓔⓛⓔⓣⓔ", "delete", true},
		{"d̶e̶l̶e̶t̶e̶_user", "delete_user", true},
		{"d⃝elete", "delete", true},
		{"d\u0334\u0316elete", "delete", true},
		{"ｄｅｌｅｔｅ", "delete", true},
		{"𝒹ℯ𝓁ℯ𝓉ℯ", "delete", true},
		{"dеlete", "delete", true}, // a Cyrillic е
		{"ѕυdο", "sudo", true},     // three scripts
		{"Ꭰelete ⲣurge", "delete purge", true},
		{"ᗪᗴᒪᗴtᗴ", "delete", true},
		// What people write.
		{"Größe", "Größe", false},
		{"удалить пользователя", "удалить пользователя", false},
		{"Сор из избы", "Cop из избы", false},
		{"διαγραφή", "διαγραφή", false},
		{"一括ＡＰＩ", "一括API", false},
		{"ship it 🚀❤\ufe0f", "ship it 🚀❤", false},
		{"🇩🇪", "🇩🇪", false},
		{"Berlin 🇩🇪, Wien 🇦🇹", "Berlin 🇩🇪, Wien 🇦🇹", false},
		{"1\ufe0f\u20e3 first", "1\u20e3 first", false},
		{"Foo™ 5 m² 1ª", "FooTM 5 m2 1a", false},
		{"می\u200cخواهم", "میخواهم", false},
		{"👨\u200d👩\u200d👧", "👨👩👧", false},
		{"\ufeffdelete", "delete", false},
		{"café e\u0301", "café é", false},
		{"g\u0303uarani", "guarani", false},
		{"𐌰", "𐌰", false},
		{"", "", false},
		{"a\xffb", "a\xffb", false},
	} {
		plain, obfuscated := Plain(c.text)
		if plain != c.plain || obfuscated != c.obfuscated {
			t.Errorf("Plain(%q) = %q %v, want %q %v", c.text, plain, obfuscated, c.plain, c.obfuscated)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("d\ufe0fеl̶ete 🇩🇪🇱\xff")
	f.Fuzz(func(t *testing.T, s string) { Plain(s) })
}
