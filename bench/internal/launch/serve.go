package launch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// Serve runs the orders that it reads until there are no more.
func Serve(in io.Reader, out io.Writer) error {
	read, write := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o Order
		if err := read.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		d, err := run(o)
		if err != nil {
			d.Error = err.Error()
		}
		if err := write.Encode(d); err != nil {
			return err
		}
	}
}

func run(o Order) (Done, error) {
	ctx := context.Background()
	if o.Limit > 0 {
		c, cancel := context.WithTimeout(ctx, o.Limit)
		defer cancel()
		ctx = c
	}
	cmd := exec.CommandContext(ctx, o.Path)
	cmd.Args, cmd.Dir, cmd.Env = o.Args, o.Dir, o.Env
	files, err := streams(cmd, o)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return Done{}, err
	}
	begin := time.Now()
	err = cmd.Run()
	d := Done{Took: time.Since(begin), Slow: ctx.Err() != nil}
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return d, err
	}
	s := cmd.ProcessState
	d.Exit, d.Peak, d.CPU = s.ExitCode(), peak(s), s.UserTime()+s.SystemTime()
	return d, nil
}

// streams opens the files of an order. An open file needs no goroutine that copies.
func streams(cmd *exec.Cmd, o Order) (files []*os.File, err error) {
	open := func(name string, flag int) (f *os.File) {
		if err == nil {
			if f, err = os.OpenFile(name, flag, 0o666); err == nil {
				files = append(files, f)
			}
		}
		return f
	}
	if o.Stdin != "" {
		cmd.Stdin = open(o.Stdin, os.O_RDONLY)
	}
	cmd.Stdout = open(o.Stdout, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	cmd.Stderr = open(o.Stderr, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	return files, err
}
