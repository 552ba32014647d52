// Package gateway stands between an MCP client and an MCP server, and lets a tool run
// only after Countersign said yes to that very call.
//
//	client ──▶ inbox ──▶ fromClient ──┬─ everything else ─────────────▶ server
//	                                  └─ tools/call ─▶ gate ─▶ spent ─▶ server ─▶ report
//	client ◀── tell, inquire ◀──────── notifications, questions ◀────── server
//
// # What it promises
//
//   - A tools/call reaches the server only after client.Gate said Run: approved,
//     proven and spent by this very call. The server gets the arguments byte for byte
//     as the client sent them, or those that an operator made of them.
//   - Everything else passes in both directions as it came: a result is handed on as
//     the JSON that the server sent, with what the client's era requires added.
//   - A call that is not decided in time ends with a text that tells the model to call
//     again. The identical call finds the same request, from another process, too.
//   - What a server says of its tools (descriptions, annotations) is shown to people
//     and decides nothing.
//   - When the client leaves, requests that it was not told of are taken back.
//
// # Eras
//
// Up to 2025-11-25 a connection begins with a handshake, and a server may ask the
// client at any time. Since 2026-07-28 there is neither: a server asks by its answer to
// a call, and the client calls again (flights.go). The client's first message says
// which era it is of, and the server is greeted in the same; one that does not know
// the newer is greeted in the older, and this package translates.
package gateway
