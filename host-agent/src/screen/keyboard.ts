/** Which windows are keyboards. Used by `screen/` and by `ui-server/`, which removes their keys. Pure. */

/** By the name of its package: trees do not say it. */
export const isKeyboard = (packageName: string): boolean =>
  /inputmethod|honeyboard|swiftkey|\.ime(?:\.|$)/.test(packageName)
