package effects

import "github.com/countersign/countersign/internal/scoring/call"

// textOf is a text that stands alone.
func textOf(text string) *call.Text { return (&call.Call{}).Text(text) }
