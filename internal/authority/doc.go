// Package authority decides what one person may do alone, and for what it takes
// another: who may sign beside whom, who may accept what somebody proposed, when a
// waiting time begins and when it is over. Everything here is a pure function of a
// State; tenants and approvals act by it, and a test walks through every path of it
// (model_test.go). docs/policy.md has the whole table.
package authority
