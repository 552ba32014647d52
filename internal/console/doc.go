// Package console is what people use: the pages, the forms and the live queue.
//
//	routes.go     every address with what it needs, the rooms' among them
//	request.go    the page of a request, pages.go the queue, signin.go and account.go
//	feed.go       what an open page is told: hub.go reads a change once for all pages of a
//	              tenant, socket.go is one page over its websocket
//	edge          who asks and what they may do, what stands around a page
//	policyui, trailui, settingsui
//	              the other pages, each with its routes, handlers and what they draw
//	request, present, filter
//	              domain → view-model, pure; urls: where each page is
//	untrusted     text of agents → runs that cannot fool a reader
//
// Arrows point down this list, from console to untrusted.
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
