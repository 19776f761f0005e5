# Serves the directory $1 over NFS on loopback, but for its mount daemon. It runs in mount and network namespaces of its own.
set -eu
ip link set lo up
mount -t tmpfs none /var/lib/nfs
mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs
touch /var/lib/nfs/etab /var/lib/nfs/rmtab
mountpoint -q /proc/fs/nfsd || mount -t nfsd none /proc/fs/nfsd
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 "127.0.0.1:$1"
rpc.nfsd -N 3 -G 10 -L 10 2
