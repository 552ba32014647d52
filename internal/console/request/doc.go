// Package request draws the queue and the page of a request from what the domain says about them.
//
//	queue.go     the rows; queue_filter.go what the list is narrowed to
//	request.go   the page: what stands above the act and beside it
//	card.go      the act itself, a pure function of the stored bytes; sections.go the
//	             pages of a large one
//	decision.go  the forms, by what is open to the reader; bulk.go several at once
//	attention.go who looks at a request, and who is on it
//
// Everything here is pure: handlers read, and pass what they read.
package request
