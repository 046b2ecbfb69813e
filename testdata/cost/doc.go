// Command cost counts what a plan costs: requests, tokens and money. Twelve steps are done in a
// public repository by the real git plan, with a scripted model behind a server on this machine.
//
//	repository.go   the repository (from the module proxy), the plan, the settings
//	server.go       the model server: it keeps each request
//	behave.go       what the model does
//	count.go        tokens with two kinds of caches, and prices
//	table.go        the table, and the limits that make test holds a plan to (limits_test.go)
//
// Measured is what git plan sends. Assumed are a model's behaviour, four bytes per token, 150 tokens of
// thinking per turn, and list prices.
package main
