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

// addressFile is the file in the data folder in which a running member stores the path of its
// socket. The socket cannot be in the data folder, because socket paths have a short maximum
// length.
const addressFile = "roadstead-client-address"

// publish writes the address for commands that run next to the server. It can be read only by users
// that may read the data folder.
func publish(dir, address string) error {
	return os.WriteFile(filepath.Join(dir, addressFile), []byte(address+"\n"), 0o600)
}

// Running returns the address of the member that runs with a data folder, for etcd clients of the
// same user.
func Running(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no server is running with data folder %s: start it, or correct --data-dir", dir)
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
		return "", fmt.Errorf("the server with data folder %s has stopped: start it again", dir)
	}
	return address, nil
}
