// SPDX-License-Identifier: Apache-2.0

package install

import "path/filepath"

// StoreDir is the folder of the embedded etcd of the first roadstead-apiserver.
func (i *Installation) StoreDir() string { return StoreDir(i.opts.Dir) }

// StoreDir is the same folder for an installation with the work folder dir. What lies there when
// Install is called is served.
func StoreDir(dir string) string { return filepath.Join(dir, embeddedEtcd) }

// embeddedEtcd is the name of the folder, and with a number that of the folders of further servers.
const embeddedEtcd = "etcd"
