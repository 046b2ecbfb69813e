// Package reviewers judges what a branch became, and runs the loop that ends when a
// round leaves HEAD where it was.
//
//	finding      what a reviewer says, with the quoted code it is about
//	reviewer     one who judges: built-in rules, personas (a model with a
//	             Markdown file that says what to look for), commands
//	panel        all reviewers of one round, at once, each fresh
//	verifier     a session that confirms or refutes findings
//	fixer        a session that repairs what was confirmed, through work.Worker
//	round        freeze, rules, panel, merge, verify, fix, checks, guard, commit
//	ledger       what all rounds found and what became of it
//	verdict      the end, for exactly these trees, these reviewers and this plan
//
// How data walks: base..HEAD -> git.Diff -> findings -> merged by fingerprint ->
// verified -> fixer -> commit -> next round, until HEAD does not move. What comes
// next is decided by one pure function (loop.go).
//
// The files, in that order: text (foreign texts, bounded), finding, target and material (what is
// judged, and what of it a model is shown, in how many parts), quote, placed and anchor (where in
// the code a finding is), neighbours and merge, answer, reviewer, rule with the folder rules,
// persona, prompt, session and panelist, command with linted, sarif and rdjsonl, panel, copy,
// verify, loop (pure), ledger, review (one under way) with run, round, recall, fixing and resume
// (which act), guard, verdict, report and pullrequest; and branch with configured,
// fixer, keep and events, which put a review together from a person's set-up.
// lost finds secrets in the history; alone applies the rules without a review.
//
// A pass is proved, never inferred: a reviewer that failed, answered nothing or
// read nothing makes the end "incomplete", never "clean".
package reviewers
