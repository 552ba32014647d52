// Package pages is what pages and agents read of many requests at once: lists, the trail, history
// and counts, and what a person keeps for their pages.
package pages

import "github.com/countersign/countersign/internal/store/requests"

// Pages are the statements of one transaction.
type Pages struct{ requests.Requests }
