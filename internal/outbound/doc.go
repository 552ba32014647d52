// Package outbound is how this server calls addresses that somebody typed: over HTTP, to
// the public internet only.
//
// Promises:
//
//   - The address is checked where the connection is made, after names are resolved: it
//     does not matter how it is spelled, what a name resolved to before, or that it
//     resolves to something else a moment later.
//   - Only addresses of the public internet are called, and networks that whoever runs the
//     server allows. Plain http is for those networks alone.
//   - No redirect is followed, no proxy of the environment is asked, and no more than
//     MaxReply bytes of an answer are read.
//   - No error holds the URL: it can be a secret.
package outbound
