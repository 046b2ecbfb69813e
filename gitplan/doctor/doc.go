// Package doctor examines whether everything is set up: programs, agents, keys, sandbox and hooks
// (doctor.go), what this clone holds (clone.go), and the settings (settings.go). It changes
// nothing.
package doctor
