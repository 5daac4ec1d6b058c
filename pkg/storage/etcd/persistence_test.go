// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mounts = `1021 998 0:412 / / rw,relatime master:301 - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w
1022 1021 0:414 / /proc rw,nosuid - proc proc rw
1023 1021 0:415 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
1030 1021 259:1 /var/lib/kubelet/pods/0c3c/volumes/kubernetes.io~empty-dir/tmp /tmp rw,relatime - ext4 /dev/nvme0n1p1 rw
1031 1021 0:398 / /cache rw,relatime - tmpfs tmpfs rw,size=1048576k
1032 1021 259:4 / /data rw,relatime - ext4 /dev/nvme1n1 rw
1033 1021 0:77 / /data/with\040space rw,relatime shared:1 - ramfs none rw
1034 1021 259:5 / /twice rw - ext4 /dev/sdb rw
1035 1034 0:78 / /twice rw - tmpfs none rw
1036 1021 0:79 / /net rw - nfs4 server:/export rw
broken line
`

func TestWhatDoesNotLast(t *testing.T) {
	for path, c := range map[string]struct {
		inPod, outside string
	}{
		"/data/etcd":          {"", ""},
		"/data":               {"", ""},
		"/net/etcd":           {"", ""},
		"/tmp/etcd":           {"an emptyDir volume", "an emptyDir volume"},
		"/cache":              {"in memory (tmpfs)", "in memory (tmpfs)"},
		"/dev/shm/etcd":       {"in memory (tmpfs)", "in memory (tmpfs)"},
		"/data/with space/a":  {"in memory (ramfs)", "in memory (ramfs)"},
		"/data/with spaces/a": {"", ""},
		"/twice/etcd":         {"in memory (tmpfs)", "in memory (tmpfs)"},
		"/database":           {"in the container's own file system", ""},
		"/var/lib/roadstead":  {"in the container's own file system", ""},
	} {
		assert.Equal(t, c.inPod, volatile(mounts, path, true), "%s in a pod", path)
		assert.Equal(t, c.outside, volatile(mounts, path, false), "%s outside of one", path)
	}
	assert.Empty(t, volatile("", "/data", true))
}

func TestFoldersNeedNotExistAndLinksAreFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real"), link))
	found, err := resolve(filepath.Join(link, "a", "b"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "real", "a", "b"), found)

	require.ErrorContains(t, RequirePersistent("/dev/shm/roadstead-etcd"), "--dev")
}
