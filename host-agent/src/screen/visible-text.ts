/** Checks for visible characters in a text. Used by the element builder and `actions/`. Pure. */

/**
 * Returns false for white space, for invisible characters (direction marks, joiners), and for glyphs of an icon font in
 * Unicode's private use areas, since people cannot read these characters.
 */
export const hasVisibleText = (text: string): boolean => /[^\s\p{Co}\p{Cf}]/u.test(text)
