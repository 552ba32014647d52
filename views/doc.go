// Package views draws the console: one templ component for each part of a
// page, and one struct of strings, bools, ints and small enums for each
// component. Where both have the same name, the component is Show and that name.
//
// Here is what the pages share. The pages are in review, policy, settings and
// trail, which do not see each other. The tests here draw the pages of all, so
// that each rule holds everywhere.
//
// The caller decides and words everything; a view only places it. Three
// promises hold everywhere:
//
//   - Text from agents arrives as [Run] values, is escaped, is kept apart from
//     its surroundings by <bdi>, and never becomes a link, markup or an image.
//   - What a struct does not carry cannot be seen: while a quiz is being
//     answered Card of review.Request is nil, so no value of the action is in the page.
//   - Every live element has a stable id (a row is "approval-" and its id), and
//     a push is the page's own component inside an <hx-partial>.
//
// Pages work with scripts off, except for live updates. The package imports
// nothing of this module but the texts and what scripts say: asset addresses come in [Page].
package views
