// Package hook is what a coding agent runs before each of its tool calls: the event on
// standard input, the answer in that agent's words on standard output.
//
//	event ──dialect.read──▶ call ──client.Gate──▶ outcome ──dialect.answer──▶ stdout, exit 0
//	                                                    └── anything else ──▶ stderr, exit 2
//
// Every coding agent runs the tool when its hook breaks, each in its own way. So:
//
//   - Exit 0 comes only after a complete decision was written, in one write, as the
//     last thing. Everything else is exit 2 with one line on standard error that
//     begins "Countersign: ": a bug, a full disk, a signal, settings that cannot be
//     read. There is no third way out.
//   - A yes is written only for an Outcome that runs: see package client.
//   - When the agent is gone nothing is spent, and the request is taken back.
//   - An event after a call reports how it went and never stands in its way.
//
// It imports the standard library, client, and what that takes in: it starts before
// every tool call, so its start is most of its cost.
package hook
