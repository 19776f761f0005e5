package pages

// AlwaysLookUp has each page look the fleet up.
func (s *Site) AlwaysLookUp() *Site {
	s.fleetAge = 0
	return s
}

// Acts returns how many acts there are.
func Acts() int { return len(acts) }
