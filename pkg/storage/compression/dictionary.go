// SPDX-License-Identifier: Apache-2.0

package compression

import _ "embed" // the dictionary

// dictionaryID is in each frame that was made with the dictionary. Those from here on are not kept for registered ones
// (RFC 8878, section 3.1.1.1.3).
const dictionaryID = 1<<15 + 1

// dictionary is text that objects of our kinds have in common, the most frequent last: without it an object of 1 KB holds
// little that repeats. Frames refer to its bytes, so it is never changed and never removed. A better one is a further file
// with the next ID, which the encoder takes and the decoder knows besides.
//
//go:embed dictionary-1.txt
var dictionary []byte
