// Package present turns values of the domain into what views draw: words, times, levels, figures.
//
// Everything here is pure. What an agent wrote goes through package untrusted.
package present
