package workspace

// foundIn is one finding of a text, and where it stands there.
type foundIn struct {
	what       Finding
	start, end int
	why        string
}

// textFindings are what a text shows that would be run.
type textFindings struct {
	all []foundIn
	// harmless says that it was read to its end, and only reads and computes.
	harmless bool
	// writes are files that it writes by a literal name, as they stand in the text.
	writes []string
}

// findingsOf reads a text that is run, or could be. Language is "python", "javascript",
// "shell" or the like where the caller knows it; else the name and the first line say it.
func findingsOf(language, name, text string, b Binding) textFindings { return textFindings{} }

func names(all []foundIn) []Finding {
	var out []Finding
	for _, f := range all {
		out = union(out, []Finding{f.what})
	}
	return out
}
