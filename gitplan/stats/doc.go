// Package stats counts what work on plans took, and how often a person had to step in. It only
// reads: the events of the plans (progress.Past) go in, and a table comes out.
//
//	row     one line of the table: all, a role, a model
//	walker  goes through the events of one plan, oldest first, and adds to the rows
//
// Measure (stats.go) has a walker (walk.go) go through each plan. Time is in seconds, money in
// US dollars; what an agent did not report is counted as unknown, not as nothing.
package stats
