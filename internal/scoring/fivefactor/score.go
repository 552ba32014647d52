package fivefactor

import (
	"math"
	"strconv"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// names of the factors, in the order in which they are listed and summed.
var names = [...]string{"function_name", "arguments", "docstring", "hints", "novelty"}

// maxSpans bounds how many places of one pattern an assessment lists. One is
// enough for the number; a text of nothing but tokens must not fill the record.
const maxSpans = 8

// Input is what the model reads of an action.
type Input struct {
	Function  string
	Arguments canon.Value // an object, an array or a scalar; Absent for none
	Docstring string      // "" for none
	Hints     canon.Value // an object; anything else adds nothing
	// CallNumber is the number of this call among those of the same tenant, agent,
	// session and function, counted from 1. Without a session every call is the
	// first; below 1 counts as 1.
	CallNumber int
	// Passages are the texts of the arguments as scan.Arguments lists them, where they
	// were read already.
	Passages []scan.Passage
}

// Factor is one factor's part in a score. Score, before weighting, and
// Contribution, after it, are rounded to six decimals for showing.
type Factor struct {
	Name         string          `json:"name"`
	Score        float64         `json:"score"`
	Weight       float64         `json:"weight"`
	Contribution float64         `json:"contribution"`
	Evidence     []scan.Evidence `json:"evidence"` // never nil
}

// Result is the model's answer: Factors in the order function_name, arguments,
// docstring, hints, novelty.
type Result struct {
	Score   float64     `json:"score"` // in [0, 1], six decimals
	Level   level.Level `json:"level"`
	Factors []Factor    `json:"factors"`
}

// Score is Examine and Examination.Score in one.
func Score(in Input, w Weights, t Thresholds) Result {
	return Examine(in).Score(in.CallNumber, w, t)
}

// Examination is everything about an action that does not depend on how often
// it was made before: the dear part, done outside the transaction that counts.
// It never changes. The zero Examination is that of no action at all.
type Examination struct {
	factors [4]finding // function name, arguments, docstring, hints
}

// finding is a factor before its weight.
type finding struct {
	score    float64
	evidence []scan.Evidence
}

// Examine reads everything but in.CallNumber.
func Examine(in Input) Examination {
	return Examination{factors: [4]finding{
		functionName(in.Function),
		arguments(in),
		docstring(in.Docstring),
		hints(in.Hints),
	}}
}

// Score adds the novelty of the call and weighs. w and t are valid (Validate).
func (e Examination) Score(callNumber int, w Weights, t Thresholds) Result {
	var (
		weights  = w.list()
		factors  = make([]Factor, len(names))
		copies   = copiesOf(e.factors[:])
		findings [len(names)]finding
		sum      float64
	)
	for i, f := range e.factors {
		findings[i] = finding{f.score, copies.of(f.evidence)}
	}
	findings[len(e.factors)] = novelty(callNumber)
	for i, f := range findings {
		score := clamp(f.score)
		contribution := float64(weights[i] * score)
		sum += contribution
		factors[i] = Factor{Name: names[i], Score: round(score), Weight: weights[i], Contribution: round(contribution), Evidence: f.evidence}
	}
	score := round(clamp(sum))
	return Result{Score: score, Level: t.Level(score), Factors: factors}
}

// novelty falls in nine equal steps from 0.9 to 0.1 and stays there.
func novelty(callNumber int) finding {
	n := max(callNumber, 1)
	score := min(0.9, max(0.9-float64(float64(n-1)*0.8)/9, 0.1))
	return finding{score, []scan.Evidence{{
		Pattern: "novelty", Places: []scan.Place{},
		Why: "earlier calls of this function that ran in this session: " + strconv.Itoa(n-1),
	}}}
}

func clamp(x float64) float64 { return min(max(x, 0), 1) }

// round is to six decimals, exactly: scaling by 1e6 first would itself round,
// and a score next to a threshold would land on the wrong side of it.
func round(x float64) float64 {
	// Away from the middle between two of them, scaling cannot choose the wrong one,
	// and dividing by an exact power of ten rounds as reading the digits does.
	scaled := float64(x * 1e6)
	if nearest := math.Round(scaled); math.Abs(scaled-nearest) < 0.4999 && math.Abs(nearest) < 1<<50 {
		return nearest / 1e6
	}
	return roundDigits(x)
}

func roundDigits(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 64)
	if err != nil { // no float64 prints as something unreadable
		return x
	}
	return r
}

// copies of evidence keep a caller of one Result from changing the Examination.
type copies struct {
	evidence []scan.Evidence
	places   []scan.Place
}

// copiesOf has room for all evidence of the findings.
func copiesOf(findings []finding) copies {
	evidence, places := 0, 0
	for _, f := range findings {
		evidence += len(f.evidence)
		for _, e := range f.evidence {
			places += len(e.Places)
		}
	}
	return copies{make([]scan.Evidence, 0, evidence), make([]scan.Place, 0, places)}
}

// of is a copy of evidence, never nil.
func (c *copies) of(evidence []scan.Evidence) []scan.Evidence {
	from := len(c.evidence)
	for _, e := range evidence {
		first := len(c.places)
		c.places = append(c.places, e.Places...)
		e.Places = c.places[first:len(c.places):len(c.places)]
		c.evidence = append(c.evidence, e)
	}
	return c.evidence[from:len(c.evidence):len(c.evidence)]
}
