// Package remote runs sessions on other machines: by a git-plan worker there, which a launcher starts.
// A launcher is any command of the person's that connects standard input and output with that worker:
// ssh, srun, podman. Which machine it is, and when, is up to the engine behind it.
//
//	launcher.go  Launcher: what planLauncher.NAME.* says, and what goes along of the configuration
//	process.go   the command at work, from its start until nothing of it is left
//	agent.go     Agent: an agent whose sessions run there; a machine that fails is no attempt
//	talk.go      one worker: what it is sent, what it asks, and what comes back
//
// Below it:
//
//	worker    the other end
//	protocol  what the two say to each other
//
// The files stay here: a worker is sent what a session begins with, and what it sends back is put into
// the clone of the task, as if the session had written it there. Everything that judges a session's
// work goes on from that. A worker is believed no more than a session: see protocol.Quarantine.
package remote
