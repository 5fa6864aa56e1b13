/** Whether a text says anything. Used by the element builder. Pure. */

/**
 * False for white space, for characters without a shape (direction marks, joiners), and for glyphs of
 * an icon font, which stand in Unicode's private use areas: nobody can read or say them.
 */
export const hasWords = (text: string): boolean => /[^\s\p{Co}\p{Cf}]/u.test(text)
