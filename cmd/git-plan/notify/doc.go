// Package notify tells a person who has left the terminal how a run ended: plan.notify names web
// hooks and commands. What they are sent has no output and no code. Addresses hold tokens, so no
// error names more of one than its scheme.
package notify
