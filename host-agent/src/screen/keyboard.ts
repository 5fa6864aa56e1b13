/** Recognises keyboard windows. Used by `screen/` and by `ui-server/`, which removes their keys. Pure. */

/** By package name: trees do not contain the window type. */
export const isKeyboard = (packageName: string): boolean =>
  /inputmethod|honeyboard|swiftkey|\.ime(?:\.|$)/.test(packageName)
