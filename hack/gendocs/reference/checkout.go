// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"errors"
	"os"
	"path/filepath"
)

// checkout returns the root of the checkout of the working directory, because comments and tags
// exist only in the source.
func checkout() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "pkg", "apis")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("run it in a checkout: no folder above this one has pkg/apis")
		}
		folder = parent
	}
}
