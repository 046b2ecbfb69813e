// Package settings holds the table of configuration keys and reads what is in force: git's configuration, below
// it what the repository proposes, below that the defaults.
//
//	config.go     the table; all settings for people, and where each comes from; what a repository may propose
//	agents.go     which agent and model a role has, chosen or detected, and where it runs; makes that agent
//	endpoint.go   makes one at an endpoint, with its key and price
//	sandbox.go    what a sandbox may write, with the caches of build tools
package settings
