// Package gitplan is the walk of `git plan step`: which step is next, what it asks of a session,
// and how it ends. Everything that it walks through is in a room below it.
//
// # Rooms
//
// A plan's life is text, journal, place, work. Each room imports only rooms above it in this list (AGENTS.md draws it the other way up):
//
//	fault, visible, pattern   what can be in the way; what is safe to show
//	disk, confine             where a path leads; what a program can do to files
//	proc, git, agent          programs, git, models: the doors to what is outside
//	markdown, plan, form      a plan's text: parsed, changed to the byte, in other tools' forms
//	settings                  the table of keys, and what is in force
//	journal                   what happened to a plan: commits on refs/plans/ID, notes, locks
//	progress                  what is done, derived from events and commits
//	stats                     what the work took, and how often a person had to step in
//	codemap, prompt           what a session is shown of the code; the prompts of sessions
//	setup                     what a session must leave alone
//	sandbox                   what its programs may read and write
//	checkout                  one work tree, its branch, and the plan of that
//	attempts                  what was not committed, kept by refs
//	site                      a checkout that is worked in: sandbox, notices, hooks
//	budget                    what sessions may use, and have used
//	elsewhere                 sessions on other machines
//	place                     where one task works, and what it must leave as it was
//	transcript                what sessions did and said, kept by this clone alone
//	work                      one task: attempts until it is done or given up
//	prove                     what checks say before any work
//	undo                      the last step, taken back
//	share                     a plan between clones
//	lint, planner             what is wrong or weak in a plan; a session that writes one
//	doctor                    is everything set up?
//	queue                     several plans, each run by a git plan of its own
//
// # Words
//
//	plan      a Markdown file of steps, attached to a branch
//	step      one task-list item of it: one commit on the branch
//	check     a command that must exit 0, or a criterion in words
//	session   one fresh conversation with an agent
//	attempt   one session at a task, with its checks; numbered from 1
//	task      a piece of work for sessions: a step, or the findings of a review
//	event     something that happened to a plan: one commit on refs/plans/<id>
//
// # The walk
//
//	checkout.Open        finds repository, configuration, branch        gitplan/checkout/checkout.go
//	Checkout.AfterKill   what a killed git plan could not look at       gitplan/checkout/afterkill.go
//	Checkout.Load        reads the branch's plan and its events         gitplan/checkout/load.go
//	progress.Derive      computes what is done from events and commits  gitplan/progress/progress.go
//	Steps.Step           ready (recover, heal, clean?), choose          steps.go, step.go, ready.go, recover.go, aside.go
//	task                 prompt, limits, checks and guard of the step   steptask.go
//	Worker.Work          attempts until done or given up                gitplan/work/work.go
//	Place.Enter          a clone, if plan.isolation is not tree         gitplan/place/enter.go
//	  prove.Begin        do the plan's checks pass before any work?     gitplan/prove/prove.go
//	    ownChecks        do the step's own fail before it?              gitplan/prove/ownchecks.go
//	Attempt              one session at the task                        gitplan/work/runattempt.go
//	  session            in a sandbox, with a transcript                gitplan/work/session.go
//	  InPlace            is everything in its place?                    gitplan/place/inplace.go
//	  Judge              checks, in its place still? guard              gitplan/work/judge.go
//	    Rebase           on top of what others committed meanwhile       gitplan/place/rebase.go
//	    Land             into the work tree; git commit and its hooks   gitplan/place/commit.go
//	  again, giveUp      the next attempt, or Keep: by a ref            gitplan/work/after.go, gitplan/place/keep.go
//	settle               done and the tick, or blocked                  settle.go
//
// What is done, Derive says, from events and commits. What is committed is what InPlace and Judge
// have passed; after a crash, recover commits exactly the tree that Judge had passed. They believe
// git and exit codes, never a model. Nothing that a person or a session wrote is thrown away: what
// is not committed is kept under refs/plan-attempts/ before a tree is cleaned.
//
// Run goes through all steps (run.go), several at once with --jobs (sidebyside.go).
// Beside the walk: next, drop and done of a person (next.go, ownindex.go), how the checks of a plan
// end on HEAD (baseline.go), --autostash (autostash.go), a plan that is written again after a step
// got stuck (autoreplan.go), and the mark of a review that was left out (unreviewed.go).
package gitplan
