// Package settings is the table of configuration keys, and what is in force: git's
// configuration, below it what the repository proposes, below that the defaults.
//
//	Key       a row of the table: its name, default and what it is for (Keys, config.go)
//	Setting   a key with its value in force and where that comes from
//	Config    reads them: Word, Int, Duration, List, Role; Agent makes the agent of a role
//
// A value that is wrong is an error that names the key. A repository may propose a few
// keys (repoconfig.go), none of which can run or send anything. Agents are made from
// planAgent.NAME.* (agents.go): command-line programs, endpoints with their key, price and
// window (endpoint.go), a command of the person's own.
package settings
