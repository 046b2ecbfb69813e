package proc

import (
	"context"
	"time"
)

// Foreground reports whether this process may use the terminal now. Windows
// has no job control.
func Foreground(int) bool { return true }

// Echo changes nothing: a Windows console shows what is typed only to whoever
// reads it.
func Echo(int, bool) {}

// Discard does nothing: what was typed stays to be read.
func Discard(int) {}

// AwaitTyped does not wait: reading does.
func AwaitTyped(context.Context, int) bool { return true }

// Typed reports false: what waits to be read is not known.
func Typed(int, time.Duration) bool { return false }
