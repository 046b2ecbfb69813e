// Package panel is who judges a change: built-in rules, personas, commands, and a verifier of
// what they found.
//
//	target      what one round judges, and the clone in which it is read
//	reviewer    one who judges: [Rules], a [Panelist] or a [Command]
//	persona     a Markdown file that says what a model is to look for
//	RunSession  what runs one session; whoever sets up a review provides it
//	verifier    a session that confirms findings or refutes them
//	critic      a session that judges a plan before there is a change (critic.go)
//
// How data walks: target.go and material.go choose what is judged and shown, in how many parts;
// reviewer.go says what a reviewer is; rule.go, persona.go with prompt.go, session.go and
// panelist.go, and command.go are the three kinds; auto.go says which personas a change calls
// for; panel.go asks all of them at once; verify.go asks about what they found; copy.go gives
// those who could write a clone of their own, and sees what they changed there.
//
// A reviewer that failed, answered nothing or read nothing reports that it is incomplete. A
// report never passes for more than it says.
package panel
