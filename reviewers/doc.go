// Package reviewers reviews the branch of a checkout, and guards what sessions commit (guard.go).
//
// A review goes this way:
//
//	Branch.Review    is there a verdict for exactly this?          branch.go
//	Configured       the reviewers, as the base has them           configured.go
//	verification     the plan's commands must pass first           fixer.go
//	Loop.Run         rounds                                        reviewers/rounds/run.go
//	  broken         checks of done steps that fail now            fixer.go
//	  AskAll         every reviewer at once                        reviewers/panel/panel.go
//	  Merge          one finding of several                        reviewers/finding/merge.go
//	  Verify         confirmed or refuted                          reviewers/panel/verify.go
//	  fix            a session, checks, guard, commit              fixer.go, guard.go
//	  AfterJudging   what comes next                               reviewers/rounds/loop.go
//	save             the verdict in this clone, the ledger with the plan   keep.go
//	Dismiss          a person settles a finding                    dismiss.go
//	PullRequest      the text for the person who merges it         keep.go
package reviewers
