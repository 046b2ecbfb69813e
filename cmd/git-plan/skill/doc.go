// Package skill teaches a person's own agent how to work with a plan: one SKILL.md, which agents
// find in one of two folders.
//
// # Words
//
//	skill  a file that an agent reads when a task calls for it: agentskills.io
//	place  where one is: .agents/skills or .claude/skills, of a repository or of the person
//
// # Files
//
//	SKILL.md  what the agent reads
//	skill.go  Place: whether it is there, and how it comes and goes
//
// What is written is marked with its own checksum, so that only what this program wrote is
// replaced or removed. A person's own links are followed; those of a repository never lead out of it.
package skill
