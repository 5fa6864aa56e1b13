/**
 * Parts that a phone may lack, like phones of some makers. The parts are set at the start (`main.js
 * --without`), never change, and are read where the part would answer.
 */
export const parts = [
  /** `app_process` cannot start the scrcpy server. */
  'scrcpy',
  /** Appium's UiAutomator2 server is killed as soon as it is started. */
  'ui-server',
  /** The installation of `io.appium.settings` is refused. */
  'settings-app',
  /** `io.appium.settings` cannot set the locale. */
  'locale',
  /** No persistent data partition: `cmd testharness enable` is refused. */
  'testharness',
  /** `cmd testharness enable` is refused while an account is on the phone, as by some makers. */
  'testharness-with-accounts',
  /** No app in the background can read or set the clipboard, under any identity. */
  'clipboard',
] as const

export type Part = (typeof parts)[number]

export function isPart(name: string): name is Part {
  return (parts as readonly string[]).includes(name)
}
