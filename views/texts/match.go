package texts

import "golang.org/x/text/language"

// Languages are the languages of the catalogues, English first.
func Languages() []string {
	catalogues := all()
	names := make([]string, len(catalogues))
	for i, c := range catalogues {
		names[i] = c.language
	}

	return names
}

// Match is the Printer of the language that suits a reader best, by the header
// Accept-Language. English suits whom no other language does.
func Match(acceptLanguage string) Printer {
	return match(all(), acceptLanguage)
}

func match(catalogues []*catalogue, acceptLanguage string) Printer {
	// A header is short; what is longer is not read.
	if len(catalogues) == 1 || len(acceptLanguage) > 256 {
		return Printer{}
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return Printer{}
	}
	tags := make([]language.Tag, len(catalogues))
	for i, c := range catalogues {
		tags[i] = c.tag
	}
	_, i, confidence := language.NewMatcher(tags).Match(wanted...)
	if confidence == language.No || i == 0 {
		return Printer{}
	}

	return Printer{c: catalogues[i]}
}
