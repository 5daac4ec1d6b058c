// SPDX-License-Identifier: Apache-2.0

package compression

import _ "embed" // the dictionary

// dictionaryID is in each frame that was compressed with the dictionary. IDs from 1<<15 on are not
// reserved for registered dictionaries (RFC 8878, section 3.1.1.1.3).
const dictionaryID = 1<<15 + 1

// dictionary contains text that objects of Roadstead have in common, the most frequent last: an
// object of 1 KB alone has few repetitions. Frames refer to its bytes, so it must never be changed
// or removed. To improve it, add a file with the next ID; the encoder uses the new one, and the
// decoder knows both.
//
//go:embed dictionary-1.txt
var dictionary []byte
