// Package panel is who judges a change: built-in rules, personas, commands, and a verifier of
// what they found.
//
//	target      what one round judges, and the clone in which it is read
//	reviewer    one who judges: [Rules], a [Panelist] or a [Command]
//	persona     a Markdown file that says what a model is to look for
//	RunSession  what runs one session; whoever sets up a review provides it
//	verifier    a session that confirms findings or refutes them
//
// How data walks: target.go and material.go choose what is judged and shown, in how many parts;
// panel.go says what a reviewer is, and asks all of them at once. The three kinds are rule.go; persona.go, which
// says which personas a change calls for, with prompt.go and panelist.go, which runs their sessions; and
// command.go. verify.go asks about what they found; copy.go gives those who could write a clone of their own,
// and sees what they changed there.
//
// A reviewer that failed, answered nothing or read nothing reports that it is incomplete. A
// report never passes for more than it says.
package panel
