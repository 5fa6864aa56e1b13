/** Whether a text has visible words. Used by the element builder. Pure. */

/**
 * False for white space, for invisible characters (direction marks, joiners), and for
 * glyphs of an icon font in Unicode's private use areas: people cannot read them.
 */
export const hasWords = (text: string): boolean => /[^\s\p{Co}\p{Cf}]/u.test(text)
