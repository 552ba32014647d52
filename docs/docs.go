// Package docs holds these pages for the program, which shows them under Help.
package docs

import "embed"

// Pages are the pages next to this file, by file name.
//
//go:embed *.md
var Pages embed.FS
