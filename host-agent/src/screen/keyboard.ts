/** Recognises keyboard windows, which trees do not mark. Used by `screen/`. Pure. */

const usualNames = /inputmethod|honeyboard|swiftkey|keyboard|wetype|\.input_?mi|baidu\.input|\.ime(?:\.|$)/

/** `keyboard`: the package that the phone reports as its keyboard. When `keyboard` is null, the usual names decide. */
export const isKeyboard = (packageName: string, keyboard: string | null): boolean =>
  keyboard === null ? usualNames.test(packageName) : packageName !== '' && packageName === keyboard

/** The parts of the phone's state that distinguish keyboards from apps. */
export interface KeyboardState {
  package: string
  keyboardVisible: boolean
  keyboardPackage: string | null
}

/**
 * Returns the package for `isKeyboard`. A keyboard's settings are an app of the same package, so the result is empty
 * while these settings are in front without the keyboard.
 */
export const keyboardOf = (state: Partial<KeyboardState> | null): string | null => {
  const keyboard = state?.keyboardPackage ?? null
  return keyboard !== null && state?.package === keyboard && state.keyboardVisible !== true ? '' : keyboard
}
