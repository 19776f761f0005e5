package logbook

// TailRecords sets how many of the newest records are read one by one, until the function that it returns is called.
func TailRecords(n uint64) (restore func()) {
	was := tailRecords
	tailRecords = n
	return func() { tailRecords = was }
}
