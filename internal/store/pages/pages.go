package pages

import "github.com/countersign/countersign/internal/store/requests"

// Pages is what pages and agents read of many requests at once, and what a person keeps for pages.
type Pages struct{ requests.Requests }
