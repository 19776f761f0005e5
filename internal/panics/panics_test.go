package panics

import (
	"errors"
	"strings"
	"testing"
)

func inner() { panic("boom") }

// caught returns what f panics with.
func caught(f func()) (v *Value) {
	defer func() { v = Recovered(recover()) }()
	f()
	return nil
}

// A panic in a goroutine of a group comes out of Wait, once all have ended, with the stack of where it happened.
func TestGroup(t *testing.T) {
	var g Group
	ended := make(chan bool, 2)
	g.Go(func() { ended <- true })
	g.Go(inner)
	g.Go(func() { ended <- true })
	v := caught(g.Wait)
	if len(ended) != 2 || v == nil || v.Panic != "boom" || !strings.Contains(string(v.Stack), "panics.inner") {
		t.Errorf("%d ended, %+v", len(ended), v)
	}
	if again := caught(func() { panic(v) }); again != v {
		t.Errorf("carried again it is %+v", again)
	}
	var calm Group
	calm.Go(func() {})
	if v := caught(calm.Wait); v != nil {
		t.Errorf("nobody panicked: %v", v)
	}
}

func TestCall(t *testing.T) {
	bad := errors.New("bad")
	if err := Call(func() error { return bad }); err != bad {
		t.Errorf("%v", err)
	}
	err := Call(func() error { panic(bad) })
	if v, ok := errors.AsType[*Value](err); !ok || v.Panic != bad || !errors.Is(err, bad) || len(v.Stack) == 0 {
		t.Errorf("%v", err)
	}
}

func TestGo(t *testing.T) {
	told := make(chan *Value)
	Go(inner, func(v *Value) { told <- v })
	if v := <-told; v.Panic != "boom" {
		t.Errorf("%v", v)
	}
}
