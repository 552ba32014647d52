// Package fivefactor is the five-factor scorer: how risky a call looks by its
// name, its arguments, its documentation, the hints its author gave and how
// often it was made before. The numbers are those of Attesta's
// DefaultRiskScorer; where that is silent, testdata decides.
//
//	function name  0.30  the riskiest word in it
//	arguments      0.25  1 − Π(1 − w) over the distinct patterns in the values
//	docstring      0.20  the most alarming word in it
//	hints          0.15  true adds 0.3, a number up to 0.8
//	novelty        0.10  0.9 for the first call, down to 0.1
//
// Each factor stays in [0, 1], and so does their weighted sum, which is rounded
// to six decimals before the level is taken from it. Without hints the sum
// cannot pass 0.795, so this model alone never says CRITICAL.
//
// Score is a pure function, linear in the text and safe for concurrent use. It
// gives the same bits on every platform: products stand in float64(), which
// forbids a compiler to fuse them with the sum (Go specification, "Floating-point
// operators").
package fivefactor
