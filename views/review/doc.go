// Package review draws what people decide: the queue, a request with its questions and
// its decision, several requests at once, a session, and what is pushed to those pages.
package review
