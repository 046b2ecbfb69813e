//go:build !linux && !darwin

package confine

// Kinds returns the kinds that this system may have: none.
func Kinds() []Kind { return nil }
