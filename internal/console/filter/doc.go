// Package filter is how a list is narrowed: its address, which has the whole state of the
// list, and the fields of the form that writes such an address.
package filter
