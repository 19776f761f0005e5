// Package consent: asks a person when a policy says so.
package consent
