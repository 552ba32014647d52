package workspace

func readMakefile(f *textFindings, text string, b Binding) {}

func readWords(f *textFindings, words otherWords, text string, b Binding) {}
