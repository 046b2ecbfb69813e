//go:build !linux && !darwin

package confine

// SandboxKinds returns the kinds that this system may have: none.
func SandboxKinds() []SandboxKind { return nil }
