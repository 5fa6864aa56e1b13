/** Characters in hostile text that change the direction of the text after them. */

/** Characters that begin or end an embedding, an override or an isolate. */
const controls = /[\u202A-\u202E\u2066-\u2069]/g

/** Removes the characters, because the end of an isolate would also end the isolate of an element such as `<bdi>`. */
export const undirected = (text: string): string => text.replace(controls, '')

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Replaces the characters by JSON escapes, for JSON and for text of which each line has a meaning. */
export const withEscapes = (text: string): string => text.replace(controls, escaped)
