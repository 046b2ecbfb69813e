// Package settings is the table of configuration keys and what is in force: git's
// configuration, below it what the repository proposes, below that the defaults.
//
//	Key      a row of the table: a name, what it takes, its default, and what it means
//	Config   reads keys: String, Word, Int, Duration, List, Role; makes agents
//	Setting  a key with its value in force, and where that comes from
//
// keys.go has the table (Keys), whose values are of the kinds in kind.go, and config.go reads single
// keys; a wrong value is an error that names the key, and the command that sets it right
// (wrong.go). proposed.go says what a repository may propose: a few keys, none of which
// can run or send anything. inforce.go lists all settings for people. choice.go says which agent
// and which model a role has, chosen or detected. agents.go makes that agent from planAgent.NAME.*:
// a command of the person's own, a command-line program (its arguments split by arguments.go), or an
// endpoint with its key, price and window (endpoint.go).
// isolation.go says where a role's sessions run.
// paths.go reads what a sandbox may write, with the build caches of caches.go.
package settings
