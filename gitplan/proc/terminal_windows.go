package proc

import (
	"context"
	"time"
)

// Foreground reports whether this process may use the terminal now. Windows has no job control.
func Foreground(int) bool { return true }

// Discard does nothing: typed input stays to be read.
func Discard(int) {}

// AwaitTyped does not wait: reading does.
func AwaitTyped(context.Context, int) bool { return true }

// Typed reports false: what waits to be read is not known.
func Typed(int, time.Duration) bool { return false }

// OpenKeyboard returns false: the console gives lines.
func OpenKeyboard(int, func() (back func())) bool { return false }

// CloseKeyboard does nothing.
func CloseKeyboard() {}

// Key returns 0.
func Key() byte { return 0 }

// LendKeyboard does nothing.
func LendKeyboard() (back func()) { return func() {} }

// Panicked does nothing.
func Panicked() {}
