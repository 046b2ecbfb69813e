// Package remote runs sessions on other machines: by a git-plan worker there, which a launcher starts. A
// launcher is any command that connects its standard input and output with that worker: ssh, srun, podman.
//
//	launcher.go   what planLauncher.NAME.* says, and the command at work
//	session.go    an agent whose sessions run there, where a machine that fails is no attempt; one worker
//	worker.go     the worker, and where its session works
//	conn.go       the protocol, and what its frames hold; tree.go how trees are sent
//
//	local   git-plan-wire 3 NONCE\n           the worker speaks second: an engine may lose what is said
//	worker  \0git-plan-worker 3 NONCE\n       before it is attached; what a shell prints first is skipped
//	worker  Hello
//	local   Job, Bytes... Tree
//	worker  Event, Usage, Turn, Bytes... Tree, Result
//
// The end of its input tells a worker to end; it sends what it has within a second. It is believed no more
// than a session: frames are bounded, texts and numbers brought within bounds, trees put in quarantine. Its
// sessions are not told whether their results are accepted, as programs are not.
package remote
