// Package notify reaches a person who has left the terminal: plan.notify names services and
// commands that hear how a run ended.
//
// # Words
//
//	message  what is sent: a title and a few lines; no output, no code
//	target   one value of plan.notify: the address of a service, or ! and a command
//
// # How it goes
//
//	Send   a message to each target, side by side     notify.go
//	post   to a service, by its scheme                service.go
//	run    a command, with the message in variables   command.go
//
// Addresses hold tokens: no error names more of one than its scheme.
package notify
