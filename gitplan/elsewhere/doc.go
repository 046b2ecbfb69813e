// Package elsewhere has sessions run on other machines: by a git-plan worker there, which a launcher
// starts. A launcher is any command of the person's that connects standard input and output with
// that worker: ssh, srun, podman. Which machine it is, and when, is up to the engine behind it.
//
//	launcher.go  Launcher: what planLauncher.NAME.* says
//	process.go   the command at work, from its start until nothing of it is left
//	agent.go     Agent: an agent whose sessions run elsewhere; machines that fail are no attempts
//	check.go     has commands that judge a tree run elsewhere, without any key
//	call.go      waits until a worker answers, and says why none does
//	talk.go      one worker: what it is sent, what it asks, and what comes back
//	try.go       starts one only to see what it is
//	carried.go   which settings and variables go along
//	cloneid.go   the name by which workers know this clone
//
// The rooms, each below the ones named before it:
//
//	worker  the other end
//	parcel  trees, there and back
//	wire    what the two say to each other
//
// A session's place elsewhere is one kind of place among others: package place.
//
// The files stay where they are: a worker is sent what a session begins with, and what it sends back
// is put into the clone of the task, as if the session had written it there. Everything that judges a
// session's work goes on from that, here. A worker is believed no more than a session: see
// parcel.Quarantine, and wire.TidyResult.
package elsewhere
