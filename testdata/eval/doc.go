// Command eval measures how well agents work with git plan, and without it: tasks, each done several times by
// each arm, judged by tests that no agent has seen.
//
//	main.go         flags: what is run, by whom, how often
//	task.go         a task: tasks/NAME/task.json and goal.md
//	fetch.go        its two versions, from the Go module proxy
//	verify.go       is a task sound? Hidden tests fail before the change and pass after it
//	repository.go   the version before as a repository
//	arm.go          the arms: a plan, one long session, and a plan with one switch set otherwise
//	agent.go        who works: an endpoint or an installed agent
//	trial.go        one task by one arm once, from the repository to a result
//	judge.go        the hidden tests in a clean clone, confined and without a network
//	outcome.go      what tests print, test by test
//	measure.go      what git plan says that it took, and what the built-in rules see
//	transcripts.go  what sessions say of requests, tokens and calls, also without a plan; they are kept
//	result.go       one line of JSON for each trial, and which trials are done already
//	report.go       the table
//
// A task is a pair of versions of a public module, or was written by hand with a trap (files.txtar): the
// repository is the earlier version, the hidden tests are the later one's, the goal is from its change log.
// Models know such modules, so arms are compared with each other on the same tasks.
//
// Results to be quoted are made in the image of Containerfile, on ten tasks or more, with the arms plan (the
// weaker model alone), mixed and strong. Each names the versions, the endpoint, the effort and the prompts
// that it depends on.
//
// Downloads are in a folder of the cache that the sandbox of git plan hides from sessions.
package main
