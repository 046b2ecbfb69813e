package proc

import (
	"context"
	"time"
)

// Foreground reports whether this process may use the terminal now. Windows has no job control.
func Foreground(int) bool { return true }

// Discard does nothing: what was typed stays to be read.
func Discard(int) {}

// AwaitTyped does not wait: reading does.
func AwaitTyped(context.Context, int) bool { return true }

// Typed reports false: what waits to be read is not known.
func Typed(int, time.Duration) bool { return false }
