package looks

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/version"
)

const (
	socketName = "socket"
	// greetLimit bounds the wait of a hook for a server, which may be stopped or gone.
	greetLimit = 200 * time.Millisecond
	// listenEvery is the interval at which a server checks that its socket is still there.
	listenEvery = time.Second
)

// greeting returns the first line of a server. A hook of another version does not use that server.
func greeting() string {
	v := version.Read()
	return fmt.Sprintf("emend looks 1 %s %s\n", v.Version, v.Commit)
}

type answer struct{ Failed string }

// Serve answers requests at a socket in dir, as soon as dir exists, until ctx ends. Of several servers the last one answers.
func Serve(ctx context.Context, dir string, look Look) {
	var l *net.UnixListener
	var mine os.FileInfo
	name := filepath.Join(dir, socketName)
	defer func() {
		if l != nil {
			l.Close()
			if is, err := os.Lstat(name); err == nil && os.SameFile(is, mine) {
				os.Remove(name)
			}
		}
	}()
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	for {
		if _, err := os.Lstat(name); l == nil || errors.Is(err, os.ErrNotExist) {
			if l != nil {
				l.Close()
			}
			if l, mine = listen(dir, name); l != nil {
				l := l
				panics.Go(func() { accept(ctx, l, look) }, func(*panics.Value) { l.Close() })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// listen makes the socket. It returns nil if it cannot, as when the directory does not exist yet.
func listen(dir, name string) (*net.UnixListener, os.FileInfo) {
	addr, done, err := address(dir, socketName+"."+strconv.Itoa(os.Getpid()))
	if err != nil {
		return nil, nil
	}
	defer done()
	os.Remove(addr) // of a process that is gone
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr, Net: "unix"})
	if err != nil {
		return nil, nil
	}
	l.SetUnlinkOnClose(false)
	is, err := os.Lstat(addr)
	if err = cmp.Or(err, os.Chmod(addr, 0o600), os.Rename(addr, name)); err != nil {
		os.Remove(addr)
		l.Close()
		return nil, nil
	}
	return l, is
}

// address returns a short path for a name in dir: that of a socket has a hundred bytes at most.
func address(dir, name string) (addr string, done func(), err error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, name), func() { unix.Close(fd) }, nil
}

func accept(ctx context.Context, l *net.UnixListener, look Look) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		panics.Go(func() {
			defer conn.Close()
			handle(ctx, conn, look)
		}, func(*panics.Value) { conn.Close() })
	}
}

func handle(ctx context.Context, conn *net.UnixConn, look Look) {
	if !isOwn(conn) {
		return
	}
	conn.SetDeadline(time.Now().Add(time.Second)) //nolint:errcheck // then it takes longer
	if _, err := conn.Write([]byte(greeting())); err != nil {
		return
	}
	var r Request
	if json.NewDecoder(conn).Decode(&r) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	var a answer
	if err := panics.Call(func() error { return look(ctx, r) }); err != nil {
		a.Failed = err.Error()
	}
	conn.SetDeadline(time.Now().Add(time.Second)) //nolint:errcheck // as above
	json.NewEncoder(conn).Encode(a)               //nolint:errcheck // the hook looks by itself then
}

// isOwn reports whether the other side is a process of the same user.
func isOwn(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var cred *unix.Ucred
	if cerr := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); cerr != nil || err != nil {
		return false
	}
	return int(cred.Uid) == os.Geteuid()
}

// Ask has the server of a workspace look, whose directory for looks is dir. With an error, the hook has to look by itself.
func Ask(ctx context.Context, dir string, r Request) error {
	addr, done, err := address(dir, socketName)
	if err != nil {
		return ErrNobody
	}
	defer done()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: addr, Net: "unix"})
	if err != nil {
		return ErrNobody
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(greetLimit)) //nolint:errcheck // the next line says it
	in := bufio.NewReader(conn)
	if said, err := in.ReadString('\n'); err != nil || said != greeting() || !isOwn(conn) {
		return ErrNobody
	}
	if end, ok := ctx.Deadline(); ok { // half of the time is left for a look of one's own
		r.Limit = time.Until(end) / 2
		conn.SetDeadline(time.Now().Add(r.Limit)) //nolint:errcheck // as above
	}
	var a answer
	if err := json.NewEncoder(conn).Encode(r); err != nil {
		return err
	}
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		return err
	}
	if a.Failed != "" {
		return errors.New(a.Failed)
	}
	return nil
}
