/** Creates elements. Text from phones is always set as text, never as markup. */

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  fields: { class?: string; text?: string; title?: string } = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  if (fields.class !== undefined) made.className = fields.class
  if (fields.text !== undefined) made.textContent = fields.text
  if (fields.title !== undefined) made.title = fields.title
  made.append(...children)
  return made
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no element ${id}`)
  return found
}

export function inputById(id: string): HTMLInputElement {
  const found = byId(id)
  if (found instanceof HTMLInputElement) return found
  throw new Error(`${id} is not an input`)
}

/** Replaces characters that reorder other text or are invisible with symbols. Line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n' || character === '\t') return character
    // Joiners and selectors make emoji and letters of some scripts.
    if (character === '\u200d' || character === '\u200c') return character
    const code = character.codePointAt(0) ?? 0
    return code < 32
      ? String.fromCodePoint(0x2400 + code)
      : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`
  })
}

/** The number of characters of a text that are shown first. */
const shownFirst = 300

/**
 * Shows text from a phone or a tenant. Its direction does not affect other text, and a button opens a long
 * text.
 */
export function foreign(text: string, most = shownFirst): HTMLElement {
  const made = make('bdi', { class: 'foreign' })
  const characters = Array.from(visible(text))
  if (characters.length <= most) {
    made.textContent = characters.join('')
    return made
  }
  const more = make('button', { class: 'more', text: `Show ${characters.length} characters` })
  more.type = 'button'
  more.addEventListener('click', () => (made.textContent = characters.join('')))
  made.append(`${characters.slice(0, most).join('')}\u2026 `, more)
  return made
}
