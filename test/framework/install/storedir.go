// SPDX-License-Identifier: Apache-2.0

package install

import "path/filepath"

// StoreDir returns the directory of the embedded etcd of the first roadstead-apiserver.
func (i *Installation) StoreDir() string { return StoreDir(i.opts.Dir) }

// StoreDir returns the same directory for an installation with the working directory dir. Install
// serves the data that already exists there.
func StoreDir(dir string) string { return filepath.Join(dir, embeddedEtcd) }

// embeddedEtcd is the name of the directory. The directories of further servers have a number
// appended.
const embeddedEtcd = "etcd"
