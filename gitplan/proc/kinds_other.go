//go:build !linux && !darwin

package proc

// SandboxKinds returns the kinds that this system may have: none.
func SandboxKinds() []SandboxKind { return nil }
