// Package edge is what every page of the console has: who asks, what they may do, what
// stands around the page, and how it answers.
//
//	route.go   an address, with what it needs
//	access.go  session → person → member of the tenant → permission
//	layout.go  what stands around every page of a tenant
//	covered.go what is out of sight while somebody answers a quiz
//	failure.go a refusal as a page; done.go what a form did, said on the next one
//
// The rooms of the pages see this one, and not each other.
package edge
