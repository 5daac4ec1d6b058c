// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// addressFile is where a running member says in its data folder on which socket it listens: that cannot be below the
// folder, since socket paths are short.
const addressFile = "roadstead-client-address"

// publish writes the address for commands that run beside the server. Only who may read the data folder may read it.
func publish(dir, address string) error {
	return os.WriteFile(filepath.Join(dir, addressFile), []byte(address+"\n"), 0o600)
}

// Running returns the address of the member that runs on a data folder, for etcd clients of the same user.
func Running(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no server runs on data folder %s: start it, or name the right --data-dir", dir)
	}
	if err != nil {
		return "", err
	}
	address := strings.TrimSpace(string(content))
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", addressFile, dir, err)
	}
	if _, err := os.Stat(parsed.Path); err != nil {
		return "", fmt.Errorf("the server on data folder %s has ended: start it again", dir)
	}
	return address, nil
}
