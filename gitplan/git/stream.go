package git

import (
	"context"
	"errors"
	"io"
)

// Stream hands the bytes of a blob to read as git unpacks them, by the kept process, so
// that its size does not matter. Until read returns nothing else can be read here.
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
		d.drop() // the rest is of no use
	}
	return err
}

// abiding reads until its context ends.
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

// Streams is [Repo.Stream] for whoever knows no repository: the rules.
func (r *Repo) Streams(ctx context.Context) func(oid string, read func(io.Reader) error) error {
	return func(oid string, read func(io.Reader) error) error { return r.Stream(ctx, oid, read) }
}

// Contents is [Repo.Read] for them, of what is not too large to be held.
func (r *Repo) Contents(ctx context.Context) func(oid string) ([]byte, error) {
	return func(oid string) (data []byte, err error) {
		err = r.Stream(ctx, oid, func(in io.Reader) error {
			if data, err = io.ReadAll(io.LimitReader(in, maxContents+1)); len(data) > maxContents {
				return errors.New("too large to be held")
			}
			return err
		})
		return data, err
	}
}
