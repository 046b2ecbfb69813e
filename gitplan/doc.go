// Package gitplan is where a plan lives, and how one step is done. Below it stand rooms, each
// entered by its doc.go: plan (its text; markdown below it, form beside it), journal (what
// happened to it), progress (what is done), prompt (what a session is told), settings, fault.
//
// # Words
//
//	plan      a Markdown file of steps, attached to a branch
//	step      one task-list item of it: one commit on the branch (step.go)
//	check     a command that must exit 0, or a criterion in words
//	session   one fresh conversation with an agent (package agent)
//	attempt   one session at a task, with its checks; numbered from 1
//	task      a piece of work for sessions: a step, or the findings of a review (task.go)
//	event     something that happened to a plan: one commit on refs/plans/<id>
//	weakness  what keeps a plan from being done well (lint*.go)
//	sandbox   what confines the commands of sessions and checks (sandbox.go)
//	approval  a person has read what the plan means; kept in this clone only
//	          (approval.go)
//
// # The walk of `git plan step`
//
//	plan text -> step -> prompt -> session -> checks -> commit -> plan text
//
//	Open          finds repository, configuration, branch      checkout.go
//	Load          reads the branch's plan and its events       attach.go, package journal
//	Derive        computes what is done from events + commits  package progress
//	Steps.Step    ready (recover, heal, clean?), choose        step.go, recover.go
//	task          prompt, limits, checks, guard of the step    steptask.go, package prompt
//	Work          attempts until done or given up              work.go, session.go
//	enter         a clone, with plan.isolation=clone           clone.go
//	attempt       session, then: is everything in its place?   place.go, package setup, otherrefs.go
//	judge         checks, place again, guard, git commit       attempt.go, verify.go, checks.go, boxes.go
//	settle        `done` and the tick, or `blocked`            settle.go
//	giveUp        what is not committed is kept under a ref    keep.go, inprogress.go
//
// Before that a planner session makes the plan: survey.go (what it is told of the
// repository), planning.go (what is taken from it), planningplace.go (where it reads,
// and what it must leave alone), replan.go (what is open is planned again; by itself: autoreplan.go), beyond.go (what of
// that a person must read first).
// Beside a session stand budget.go, fallback.go, transcript.go, accounting.go (what events
// tell of its cost) and masked.go, which takes secrets out of what it says.
//
// Only two places decide: Derive says what is done, judge says whether a
// session's work may be committed. Both believe git and exit codes, never a
// model.
//
// Nothing that a person or a session wrote is thrown away: what is not
// committed is kept under refs/plan-attempts/ before a tree is cleaned.
//
// # What is beside the walk
//
//	the branch       checkout.go, attach.go, newplan.go, newbranch.go, base.go, importedfile.go, approval.go, reviewdir.go;
//	                 proposals.go (what the base proposes), redirected.go
//	typed by people  edit.go, storetyped.go, of one step excerpt.go, in a file of their own typing.go;
//	                 compare.go says what changed, holdtext.go keeps sessions away meanwhile
//	without agents   next.go (next, drop, done), ownindex.go (what was staged then), shell.go (a
//	                 step with Run), undo.go, kept.go (attempts), autostash.go, aside.go
//	others' work     stale.go (commits that touch what a step is to do), reflog.go (who moved HEAD)
//	other clones     share.go, push.go, fetch.go, atremote.go; merge.go, mergechain.go, mergeorder.go and
//	                 pieces.go where both wrote on a plan
//	left by sessions untracked.go and halfway.go (the person's files, byte for byte),
//	                 outofsight.go, shadowing.go (programs in place of the system's), unignore.go
//	                 and outoftheway.go (work that git ignores), ascommitted.go (what git commits
//	                 otherwise than it lies there), nested.go (repositories), barred.go (what git
//	                 cannot read), recover_fix.go
//	commit hooks     hooked.go, in the sandbox of checks, with those of hook_configured.go;
//	                 package setup (what of the tree the configuration has git run),
//	                 filters.go (in the sandbox, too)
//	after a kill     afterkill.go: the next command compares the set-up (sums.go); unplant.go puts
//	                 back what would lead a git to another repository
//	pushes           of git plan's own pushhook.go: the person's hook in the sandbox
//	                 (hooks.OwnPush)
//	whose history    witness.go: what this clone neither wrote nor fetched is not believed;
//	                 planrefs.go: refs of plans are after a session what they were before it
//	to look at       list.go, graph.go, tell.go (of attempts)
//	this clone       doctor*.go
//	sandboxes        sandbox_*.go: what may be written and read where, a file for each kind of
//	                 place
//
// # What a session must leave alone
//
// HEAD's place on its branch (in a clone it is the clone's own affair where that is), the refs
// of plans and of what is kept, what is work of the branch and not of its base (otherrefs.go;
// new commits on a base that are none of the branch's are told, as all other refs), and the
// set-up (package setup): where the repository is, the configuration but for those keys of branch.*
// that send no push elsewhere, submodules (those in submodules, and those not checked out),
// other work trees, alternates, hooks, info/attributes and info/exclude, .lfsconfig, .gitplan,
// and this plan's own approval, marks and review. Nothing may be planted where git writes: a
// link, a pipe or a device (git.Planted). What one command notes for the next lies where no
// sandbox lets a session write (journal.Note). All else in the common dir is a person's to change
// at any time, in another terminal or work tree: locks, transcripts, texts in an editor, other
// plans. Another plan that was approved meanwhile is told, and so is the verdict of a review;
// one on a tree that is only about to be committed does not count (reviewers). What a person
// types into this plan meanwhile waits until the session's work is settled (holdtext.go)
// and is then unapproved, so a plan's ref that moves during a session was not moved by a
// person.
package gitplan
