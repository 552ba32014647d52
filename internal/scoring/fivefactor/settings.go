package fivefactor

import (
	"math"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Weights says how much each factor counts. They are a tenant's setting: none
// below 0, 1 in sum.
type Weights struct {
	FunctionName float64 `json:"function_name" yaml:"function_name"`
	Arguments    float64 `json:"arguments" yaml:"arguments"`
	Docstring    float64 `json:"docstring" yaml:"docstring"`
	Hints        float64 `json:"hints" yaml:"hints"`
	Novelty      float64 `json:"novelty" yaml:"novelty"`
}

// DefaultWeights are those of the source.
func DefaultWeights() Weights {
	return Weights{FunctionName: 0.30, Arguments: 0.25, Docstring: 0.20, Hints: 0.15, Novelty: 0.10}
}

// Validate refuses weights that are negative, not finite, or further than 1e-9
// from 1 in sum. The fault's member is relative to the weights: "/hints", or ""
// for the sum.
func (w Weights) Validate() error { return first(w.Problems()) }

// Problems is everything that Validate could say.
func (w Weights) Problems() (wrong []*fault.Error) {
	sum := 0.0
	for i, v := range w.list() {
		if !(v >= 0 && v <= math.MaxFloat64) {
			wrong = append(wrong, fault.Member(fault.InvalidMember, "/"+names[i], "the weight is %v; expected a finite number of 0 or more", v))
		}
		sum += v
	}
	if len(wrong) == 0 && !(math.Abs(sum-1) <= 1e-9) {
		wrong = append(wrong, fault.New(fault.InvalidMember, "the weights add up to %v; they must add up to 1 (within 1e-9)", sum))
	}
	return wrong
}

func first(wrong []*fault.Error) error {
	if len(wrong) == 0 {
		return nil
	}
	return wrong[0]
}

// list is in the order of names.
func (w Weights) list() [len(names)]float64 {
	return [...]float64{w.FunctionName, w.Arguments, w.Docstring, w.Hints, w.Novelty}
}

// Thresholds are the lowest scores of three levels; below Medium is LOW.
type Thresholds struct {
	Medium   float64 `json:"medium" yaml:"medium"`
	High     float64 `json:"high" yaml:"high"`
	Critical float64 `json:"critical" yaml:"critical"`
}

// DefaultThresholds are those of the source.
func DefaultThresholds() Thresholds { return Thresholds{Medium: 0.3, High: 0.6, Critical: 0.8} }

// Validate refuses thresholds that are not strictly ascending in (0, 1]. The
// fault's member is relative to the thresholds: "/high".
func (t Thresholds) Validate() error { return first(t.Problems()) }

// Problems is everything that Validate could say.
func (t Thresholds) Problems() (wrong []*fault.Error) {
	below := 0.0
	for _, bound := range []struct {
		name  string
		value float64
	}{{"medium", t.Medium}, {"high", t.High}, {"critical", t.Critical}} {
		if !(bound.value > below && bound.value <= 1) {
			wrong = append(wrong, fault.Member(fault.InvalidMember, "/"+bound.name,
				"the threshold is %v; expected a number above %v and at most 1", bound.value, below))
			continue // the next one is held against the last that fits
		}
		below = bound.value
	}
	return wrong
}

// Level is the level of a score: the highest whose threshold the score reaches,
// never SAFE.
func (t Thresholds) Level(score float64) level.Level {
	switch {
	case score >= t.Critical:
		return level.Critical
	case score >= t.High:
		return level.High
	case score >= t.Medium:
		return level.Medium
	}
	return level.Low
}
