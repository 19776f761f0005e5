package vfstest

import (
	"fmt"
	"math/rand/v2"
)

// Enumerate runs try with a function that chooses, again and again, until every combination of choices was tried; then
// all is true. If there are more than limit, it continues with limit random ones, which seed determines. It stops at
// the first error, and adds the choices with which [Replay] reproduces it.
//
// try must ask the same questions whenever it got the same answers so far.
func Enumerate(limit int, seed uint64, try func(choose func(n int) int) error) (all bool, err error) {
	var o odometer
	for range limit {
		if err := o.run(try); err != nil {
			return false, err
		}
		if !o.advance() {
			return true, nil
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range limit {
		o := odometer{beyond: random.IntN}
		if err := o.run(try); err != nil {
			return false, err
		}
	}
	return false, nil
}

// Replay repeats given choices, and chooses 0 after them.
func Replay(choices ...int) func(n int) int {
	o := odometer{digits: choices, sizes: make([]int, len(choices))}
	return o.choose
}

// odometer counts through choices, the last one fastest.
type odometer struct {
	digits, sizes []int
	at            int
	beyond        func(n int) int // answers the questions that have no digit yet
}

func (o *odometer) choose(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("a choice of %d", n))
	}
	if o.at == len(o.digits) {
		o.digits, o.sizes = append(o.digits, o.first(n)), append(o.sizes, n)
	}
	o.sizes[o.at] = n
	o.at++
	return min(o.digits[o.at-1], n-1)
}

func (o *odometer) first(n int) int {
	if o.beyond == nil {
		return 0
	}
	return o.beyond(n)
}

func (o *odometer) run(try func(choose func(n int) int) error) error {
	o.at = 0
	if err := try(o.choose); err != nil {
		return fmt.Errorf("choices %v: %w", o.digits[:o.at], err)
	}
	return nil
}

// advance goes to the next combination, if there is one.
func (o *odometer) advance() bool {
	for i := o.at - 1; i >= 0; i-- {
		if o.digits[i]+1 < o.sizes[i] {
			o.digits[i]++
			o.digits, o.sizes = o.digits[:i+1], o.sizes[:i+1]
			return true
		}
	}
	return false
}
