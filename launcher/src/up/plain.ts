/** Text from elsewhere, made safe for a terminal. */

/** Without control characters (C0, C1, line separators and text-direction overrides). */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
