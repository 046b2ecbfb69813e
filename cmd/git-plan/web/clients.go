package web

import (
	"net"
	"sync"
)

// Bounds of what clients of this machine can keep open at once.
const (
	mostClients = 100 // connections; others wait
	mostStreams = 30  // of events; others are refused
)

// atMost returns a listener that accepts so many connections at a time.
func atMost(l net.Listener, n int) net.Listener { return &bounded{l, make(chan struct{}, n)} }

type bounded struct {
	net.Listener
	open chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	b.open <- struct{}{} // those that are slow are closed in time
	return &counted{Conn: c, free: func() { <-b.open }}, nil
}

type counted struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *counted) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}
