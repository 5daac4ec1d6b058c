// SPDX-License-Identifier: Apache-2.0

// Package docs checks the documentation: links lead somewhere, every reason and every field is explained, examples are found,
// so that the cluster can judge them.
package docs
