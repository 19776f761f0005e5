package pages

// AlwaysLookUp has each page look the fleet up.
func (s *Site) AlwaysLookUp() *Site {
	s.fleetAge = 0
	return s
}
