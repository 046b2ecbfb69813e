// Package site is a checkout in which something is worked on: what all tasks of one command share.
//
// # Words
//
//	notice   what happens, for whoever shows it
//	watch    what a session must leave alone, as it was before
//	lock     the plan's text stays as it is until the work is settled
//	aside    the person's changes, while --autostash has them in git's stash
//
// # Its files
//
//	Site              what is shared                                     site.go, report.go, clock.go
//	Masked            words of sessions without secrets                  masked.go
//	ConfineSession    the sandbox in force, found out once               confined.go
//	Checks            commands of a plan: runs them, says how one failed checks.go
//	Proofs            how checks ended on which tree                     proofs.go
//	Tools             versions of what checks and manifests name         tools.go
//	LockPlan          the plan's text stays as it is                     lockplan.go, locks.go
//	Watch             set-up, refs and bases before a session; put back  watch.go, setup.go, otherrefs.go
//	MadeBySession     whose a move of a ref was, by its reflog           reflog.go
//	Commit            git commit, its hooks in the sandbox               commit.go, hooked.go, confighooks.go
//	PrePush           the hook of a push that git plan makes             pushhook.go
//	Found             what a task found that no commit has               found.go
//	SetAside          where --autostash has something                    aside.go
//
// # What a session must leave alone
//
// The refs of plans and of what is kept, what is work of the branch and not of its base
// (otherrefs.go; all other refs that moved are reported), and the set-up. What a person types
// into this plan meanwhile waits until the session's work is settled, and is then unapproved: so
// a plan's ref that moves during a session was not moved by a person.
package site
