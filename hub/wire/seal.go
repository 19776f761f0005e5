package wire

import (
	"errors"
	"fmt"

	"github.com/nats-io/nkeys"
)

// Everything that is said between a workspace and a hub is signed by who says it, for the subject on which it is said. That a server lets only a
// workspace publish on its own subjects is not enough: whoever may ask the server something chooses where the answer goes, and the answer to "what is
// my last message" is a message of their own making.

// sealContext begins what is signed, so that a signature is good for nothing else.
const sealContext = "emend hub v1\n"

const sealBytes = 64 // an Ed25519 signature

// ErrSeal says that a message is not signed by who may say it.
var ErrSeal = errors.New("not signed by the key that may say this here")

// Seal signs body for a subject: the signature, and then body.
func Seal(key nkeys.KeyPair, subject string, body []byte) ([]byte, error) {
	sig, err := key.Sign(sealed(subject, body))
	if err != nil {
		return nil, err
	}
	if len(sig) != sealBytes {
		return nil, fmt.Errorf("a signature of %d bytes", len(sig))
	}
	return append(sig, body...), nil
}

// Unseal checks what [Seal] made against a public key, and returns the body.
func Unseal(public, subject string, data []byte) ([]byte, error) {
	key, err := nkeys.FromPublicKey(public)
	if err != nil || len(data) < sealBytes {
		return nil, ErrSeal
	}
	body := data[sealBytes:]
	if key.Verify(sealed(subject, body), data[:sealBytes]) != nil {
		return nil, ErrSeal
	}
	return body, nil
}

func sealed(subject string, body []byte) []byte {
	out := make([]byte, 0, len(sealContext)+len(subject)+1+len(body))
	out = append(append(out, sealContext...), subject...)
	return append(append(out, '\n'), body...)
}

// ReplySubject returns the subject for which a reply to an ask is signed.
func ReplySubject(ask string) string { return "reply." + ask }
