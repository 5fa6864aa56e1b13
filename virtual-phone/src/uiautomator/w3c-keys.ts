/** WebDriver's key values (W3C, "normalised key value") as Android's key codes and meta bits. */

const keyCodes: Readonly<Record<string, number>> = {
  '\ue003': 67, // Backspace: DEL
  '\ue004': 61, // Tab
  '\ue005': 28, // Clear
  '\ue006': 66, // Return: ENTER
  '\ue007': 66, // Enter
  '\ue00c': 111, // Escape
  '\ue00d': 62, // Space
  '\ue00e': 92, // Page up
  '\ue00f': 93, // Page down
  '\ue010': 123, // End: MOVE_END
  '\ue011': 122, // Home: MOVE_HOME
  '\ue012': 21, // Left
  '\ue013': 19, // Up
  '\ue014': 22, // Right
  '\ue015': 20, // Down
  '\ue016': 124, // Insert
  '\ue017': 112, // Delete: FORWARD_DEL
  '\n': 66,
  '\t': 61,
}

const metaBits: Readonly<Record<string, number>> = {
  '\ue008': 0x1, // Shift
  '\ue009': 0x1000, // Control
  '\ue00a': 0x2, // Alt
  '\ue03d': 0x10000, // Meta
}

/** Null for a character, which is typed unchanged. */
export function keyCodeOf(value: string): number | null {
  return keyCodes[value] ?? null
}

/** Returns 0 for a key that is not a modifier. */
export function metaOf(value: string): number {
  return metaBits[value] ?? 0
}
