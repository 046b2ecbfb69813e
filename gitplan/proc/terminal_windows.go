package proc

import "time"

// Foreground reports whether this process may use the terminal now. Windows
// has no job control.
func Foreground(int) bool { return true }

// Echo changes nothing: a Windows console shows what is typed only to whoever
// reads it.
func Echo(int, bool) {}

// Discard does nothing.
func Discard(int) {}

// Typed knows of nothing.
func Typed(int, time.Duration) bool { return false }
