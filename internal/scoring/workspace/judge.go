package workspace

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Asks says which files have to be known to judge it, as far as that shows before anything
// is known.
func (r Reading) Asks() Asks { return r.AsksKnowing(Memory{}) }

// AsksKnowing is Asks once something is known: a task that this agent wrote runs other
// files.
func (r Reading) AsksKnowing(m Memory) Asks {
	if len(r.acts) == 0 {
		return Asks{}
	}
	return r.over(m).known.asked()
}

// Judge says what the call is.
func (r Reading) Judge(m Memory) Judgement {
	start := r.start
	j := Judgement{Cwd: start.path, Inside: start.known && r.binding.zoneOf(start.path) == inside}
	if len(r.acts) == 0 {
		return j
	}
	w := r.over(m)
	all, k := w.all, w.known
	decides := worst(all)
	j.Applies, j.Level, j.Cause, j.Because, j.Covers = true, max(decides.level, level.Low), decides.cause, decides.because, covered(all, decides)
	j.Effects = effectsOf(all)
	j.Used, j.Writes, j.Reviews = k.used(), k.writes(), w.reviews
	return j
}

// walked is what came of a walk over the call. It does not change any more.
type walked struct {
	all     []verdict
	reviews bool
	known   *known
}

// over walks over the call with what is remembered. Of most calls nothing is, and they are
// walked over once.
func (r Reading) over(m Memory) walked {
	if len(m.Files) == 0 && !m.Full {
		return r.alone()
	}
	return r.walk(newKnown(r.binding, m))
}

// walk judges all acts of the call in their order.
func (r Reading) walk(k *known) walked {
	done := walked{known: k}
	start := r.start
	for _, a := range r.acts {
		script := shell.Script{}
		if a.script != nil {
			script = *a.script
		}
		w := newWalk(script, a.text, start, k, 0)
		if a.script != nil {
			w.run()
			if len(w.all) == 0 {
				w.harmless(effects.Read, "read", "it changes nothing")
			}
		} else {
			w.dir, w.c = start, shell.Command{From: -1, DirKnown: true}
			a.judge(w)
			if len(w.all) == 0 {
				w.harmless(effects.Read, "read", "it changes nothing")
			}
		}
		for i := range w.all {
			w.all[i].pointer = a.pointer
			if !a.placed {
				w.all[i].start, w.all[i].end = 0, 0
			}
		}
		done.reviews = done.reviews || w.reviews
		if done.all == nil { // most calls are one act
			done.all = w.all
		} else {
			done.all = append(done.all, w.all...)
		}
	}
	return done
}

// covered is what a session grant would cover: what decides, where all else that is held
// would be covered by it too.
func covered(all []verdict, decides verdict) *Scope {
	if decides.level <= level.Low || decides.covers == nil {
		return nil
	}
	for _, v := range all {
		if v.level <= level.Low {
			continue
		}
		if v.covers == nil || v.covers.Of != decides.covers.Of || v.covers.To != decides.covers.To {
			return nil
		}
	}
	return decides.covers
}

// maxEvidence bounds how many places are named for one effect.
const maxEvidence = 8

// effectsOf are the effects of a call, what is held first, one of each kind.
func effectsOf(all []verdict) []effects.Effect {
	sorted := make([]*verdict, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortStableFunc(sorted, func(a, b *verdict) int {
		if a.level != b.level {
			return int(b.level) - int(a.level)
		}
		return weight(b.cause) - weight(a.cause)
	})
	var kept []effects.Effect
	held := len(sorted) > 0 && sorted[0].level > level.Low
	for _, v := range sorted {
		if held && v.level <= level.Low {
			break
		}
		evidence := effects.Evidence{Pointer: v.pointer, Start: v.start, End: v.end, Why: v.because, Command: v.command}
		at := slices.IndexFunc(kept, func(e effects.Effect) bool { return e.Kind == v.kind && e.Sensitive == v.sensitive })
		if at < 0 {
			kept = append(kept, effects.Effect{Kind: v.kind, Verb: v.verb, Object: v.object, Breadth: effects.One, Sensitive: v.sensitive, Certain: true, Evidence: []effects.Evidence{evidence}})
			if v.kind == effects.Message {
				kept[len(kept)-1].Audience = effects.Outside
			}
			continue
		}
		if len(kept[at].Evidence) < maxEvidence {
			kept[at].Evidence = append(kept[at].Evidence, evidence)
		}
	}
	return kept
}
