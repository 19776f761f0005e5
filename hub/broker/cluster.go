package broker

import (
	"fmt"
	"strings"
)

// ClusterConfig returns what the configuration of each server of a NATS cluster needs so that it trusts the hub whose keys are in dir: the rest
// (names, addresses, routes, certificates, store) is the operator's. It makes the keys if there are none.
func ClusterConfig(dir string) (string, error) {
	k, err := openKeys(dir)
	if err != nil {
		return "", err
	}
	account, err := k.accountJWT()
	if err != nil {
		return "", err
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# Include this in the configuration of every server of the cluster, which also needs: server_name, listen, tls, cluster,\n")
	fmt.Fprintf(&s, "# and jetstream { store_dir: \"...\", sync_interval: always }. Without \"always\" a power cut takes what was acknowledged.\n")
	fmt.Fprintf(&s, "operator: %s\nsystem_account: %s\n", k.operatorJWT, k.systemID)
	fmt.Fprintf(&s, "resolver: { type: full, dir: \"./accounts\", allow_delete: false, interval: \"1m\" }\n")
	fmt.Fprintf(&s, "resolver_preload: {\n  %s: %s\n  %s: %s\n}\n", k.accountID, account, k.systemID, k.systemJWT)
	fmt.Fprintf(&s, "max_payload: 4MB\nmax_pending: 64MB\n")
	return s.String(), nil
}
