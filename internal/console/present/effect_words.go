package present

import (
	"cmp"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/views/texts"
)

// EffectWord is a kind of effect as people name it. One of another version of this
// program stays as it is.
func EffectWord(say texts.Printer, kind string) string {
	return cmp.Or(say.Key(effectWords[effects.Kind(kind)]), kind)
}

var effectWords = map[effects.Kind]texts.Key{
	effects.Read: texts.Key("Reads"), effects.Write: texts.Key("Changes"), effects.Message: texts.Key("Sends a message"), effects.Money: texts.Key("Moves money"),
	effects.Permission: texts.Key("Changes access or security"), effects.Delete: texts.Key("Deletes"), effects.Execute: texts.Key("Runs what can't be read"),
	effects.Unknown: texts.Key("Unknown"),
}
