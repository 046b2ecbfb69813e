package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// An end that hears nothing says so after its silence, even while it can write nothing; one that hears
// pings, or does not wait for anything, does not.
func TestSilenceIsNoticed(t *testing.T) {
	const every, silence = 10 * time.Millisecond, 300 * time.Millisecond
	ctx, over := context.WithCancel(t.Context())
	defer over()
	near, far := connected()
	heard := make(chan error, 4)
	near.keep(ctx, every, silence, func(err error) { heard <- err })
	far.keep(ctx, every, silence, func(err error) { heard <- err })
	go func() { _, _ = far.Next(Result) }()
	go func() { _, _ = near.Next(Result) }()

	cut := make(chan error, 4)
	nothing, _ := io.Pipe()
	_, stuck := io.Pipe()
	alone := &Conn{r: bufio.NewReader(nothing), w: stuck}
	alone.keep(ctx, every, silence, func(err error) { cut <- err })
	idle := &Conn{w: io.Discard}
	idle.keep(ctx, every, silence, func(err error) { heard <- err })
	began := time.Now()
	go func() { _, _ = alone.Next(Result) }()
	if err := <-cut; !errors.Is(err, ErrSilent) || time.Since(began) < silence {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	select {
	case err := <-heard:
		t.Errorf("one that hears something: %v", err)
	default:
	}
}
