// Package console is what people use: the pages, the forms and the live queue.
//
//	routes.go     every address, with what it needs, first; the handlers below it
//	              in files named for what they show
//	access.go     session → person → member of the tenant → permission
//	present*.go   domain → view-model, the only bridge between the two
//	runs.go       untrusted text → runs that cannot fool a reader
//	room.go       reads a change once for all open pages of a tenant
//	socket.go     one open page, over its websocket; feed.go says what it is told
//
// Promises:
//
//   - A membership is read on every request, and every two seconds on a socket:
//     nothing that was taken away lives on in a session.
//   - Only POST changes anything that matters; GET writes at most the first view,
//     the issued challenge and the time of the last activity.
//   - A page is rendered into memory first: a status is never sent for a page
//     that then breaks.
//   - Text of an agent never stands in a header, an address or the log.
//   - While somebody answers a quiz, no value of that action is in any page or
//     push made for them about it.
package console
