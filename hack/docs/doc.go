// SPDX-License-Identifier: Apache-2.0

// Package docs checks the documentation: links lead somewhere, every reason is explained, names are real.
package docs
