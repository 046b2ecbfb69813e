package git

import (
	"context"
	"errors"
	"io"
)

// Stream passes the bytes of a blob to read as git unpacks them, so that its size does not
// matter. Until read returns, no other object can be read: read must not ask for one.
func (r *Repo) Stream(ctx context.Context, oid string, read func(io.Reader) error) error {
	d := r.objects
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := r.startReader(); err != nil {
		return err
	}
	_, size, err := d.head(oid)
	if errors.Is(err, ErrMissing) {
		return err
	}
	if err == nil {
		body := &io.LimitedReader{R: d.out, N: int64(size)}
		if err = read(&abiding{ctx, body}); err == nil {
			_, err = io.CopyN(io.Discard, d.out, body.N+1) // and a newline
		}
	}
	if err != nil {
		d.drop() // nobody needs the rest
	}
	return err
}

// abiding is a reader that fails as soon as its context has ended.
type abiding struct {
	ctx context.Context
	io.Reader
}

func (a *abiding) Read(p []byte) (int, error) {
	if err := context.Cause(a.ctx); err != nil {
		return 0, err
	}
	return a.Reader.Read(p)
}

// Streams returns Stream as a function, for code that knows of no repository: the rules.
func (r *Repo) Streams(ctx context.Context) func(oid string, read func(io.Reader) error) error {
	return func(oid string, read func(io.Reader) error) error { return r.Stream(ctx, oid, read) }
}

// Contents returns a function, for the rules as well, that reads a blob of at most 16 MiB.
func (r *Repo) Contents(ctx context.Context) func(oid string) ([]byte, error) {
	return func(oid string) (data []byte, err error) {
		err = r.Stream(ctx, oid, func(in io.Reader) error {
			if data, err = io.ReadAll(io.LimitReader(in, maxContents+1)); len(data) > maxContents {
				return errors.New("too large for memory")
			}
			return err
		})
		return data, err
	}
}
