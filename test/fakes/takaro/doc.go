// SPDX-License-Identifier: Apache-2.0

// Package takaro is a stand-in for the Takaro HTTP API and the connector that game servers connect
// to. It keeps domains, users, roles and game servers in memory and answers as the recording in
// testdata/responses.json does. Faults can be injected in process or, if enabled, over HTTP
// (README.md).
package takaro
