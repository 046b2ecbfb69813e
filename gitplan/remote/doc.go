// Package remote runs sessions on other machines: by a git-plan worker there (package worker), which a
// launcher starts. A launcher is any command of the person's that connects standard input and output
// with that worker: ssh, srun, podman. Which machine it is, and when, is up to the engine behind it.
//
//	launcher.go  Launcher: what planLauncher.NAME.* says, and the command at work
//	agent.go     Agent: an agent whose sessions run there; a machine that fails is no attempt
//	talk.go      one worker: what it is sent, what it asks, and what comes back
//	conn.go      the protocol: greeting, frames, and streams of them
//	messages.go  what the frames hold
//	tree.go      trees, there and back
//
//	near  git-plan-wire 2 NONCE\n           the worker speaks second: an engine may lose what is said
//	far   \0git-plan-worker 2 NONCE\n       before it is attached; what a shell prints first is skipped
//	far   Hello
//	near  Job, Bytes... Tree
//	far   Event, Usage (near: Grant), Turn, Bytes... Tree Offer (near: Verdict)
//	far   Bytes... Tree, Result
//
// The end of near's input is the cancel: far sends what it has within a second, and ends. Only a Result
// says how a session ended. A worker is believed no more than a session: frames are bounded, texts and
// numbers brought within bounds, and a tree is put in quarantine before it goes into the task's clone.
package remote
