package wire

import (
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
)

// maxJob is what a job may be, in bytes: most of it is the prompt.
const maxJob = 64 << 20

// SendJob sends what is to be done. It is text that says much twice, and so is sent compressed.
func (c *Conn) SendJob(job Work) error {
	return c.SendStream(Job, nil, func(w io.Writer) error {
		z, err := flate.NewWriter(w, flate.BestCompression)
		if err == nil {
			err = json.NewEncoder(z).Encode(job)
		}
		if err == nil {
			err = z.Close()
		}
		return err
	})
}

// NextJob reads what SendJob sends.
func (c *Conn) NextJob() (job Work, err error) {
	stream := c.Stream(Job, maxJob)
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(stream), maxJob+1))
	if err == nil && len(data) > maxJob {
		err = errTooMuch
	}
	if err == nil {
		err = json.Unmarshal(data, &job)
	}
	_, end := stream.Drain()
	return job, errors.Join(err, end)
}
