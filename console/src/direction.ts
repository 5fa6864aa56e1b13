/** Characters in texts of others that change the direction of the text after them. */

/** Embeddings, overrides and isolates, with their ends. */
const controls = /[\u202A-\u202E\u2066-\u2069]/g

/** Without them: one that ends an isolate would end that of an element too, such as `<bdi>`. */
export const undirected = (text: string): string => text.replace(controls, '')

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** With escapes in their place, as JSON has them: for JSON, and for text whose lines have a meaning. */
export const withEscapes = (text: string): string => text.replace(controls, escaped)
