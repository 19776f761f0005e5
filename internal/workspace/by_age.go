package workspace

import (
	"container/list"
	"iter"
)

// byAge is a map that also knows the order in which its values were put. None of its methods but newestFirst looks at all of them.
type byAge[K comparable, V any] struct {
	elements map[K]*list.Element
	order    list.List // of *aged, the oldest first
}

type aged[K comparable, V any] struct {
	key   K
	value V
}

func (m *byAge[K, V]) len() int { return len(m.elements) }

func (m *byAge[K, V]) get(k K) (v V, ok bool) {
	if e := m.elements[k]; e != nil {
		return e.Value.(*aged[K, V]).value, true
	}
	return v, false
}

// put makes v the newest value, and returns the one that k had before.
func (m *byAge[K, V]) put(k K, v V) (old V, had bool) {
	if e := m.elements[k]; e != nil {
		old, had = m.order.Remove(e).(*aged[K, V]).value, true
	}
	if m.elements == nil {
		m.elements = map[K]*list.Element{}
	}
	m.elements[k] = m.order.PushBack(&aged[K, V]{k, v})
	return old, had
}

// dropOldest removes the oldest value as long as gone is true of it.
func (m *byAge[K, V]) dropOldest(gone func(V) bool) {
	for e := m.order.Front(); e != nil && gone(e.Value.(*aged[K, V]).value); e = m.order.Front() {
		delete(m.elements, m.order.Remove(e).(*aged[K, V]).key)
	}
}

func (m *byAge[K, V]) newestFirst() iter.Seq[V] {
	return func(yield func(V) bool) {
		for e := m.order.Back(); e != nil && yield(e.Value.(*aged[K, V]).value); e = e.Prev() {
		}
	}
}
