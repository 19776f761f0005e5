module github.com/emend-dev/emend/hub

go 1.26.0

toolchain go1.26.8

require (
	github.com/emend-dev/emend v0.0.0
	github.com/klauspost/compress v1.20.3
	github.com/nats-io/nkeys v0.4.17
)

require (
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/emend-dev/emend => ../
