/** Parses AOSP's output about the reasons for a black picture. */
import { describe, expect, it } from 'vitest'
import { parseSecureWindow } from './secure-window.js'

const open = `    mAwake=true
    screenState=SCREEN_STATE_ON
      showing=false
      fl=LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED
      fl=NOT_FOCUSABLE LAYOUT_IN_SCREEN SPLIT_TOUCH`

describe('the secure window', () => {
  it.each([
    ['open', open, {}],
    ['locked, Android 11 and newer', open.replace('showing=false', 'showing=true'), { locked: true }],
    ['locked, Android 10', `${open}\n    mShowingLockscreen=true mShowingDream=false`, { locked: true }],
    ['a secure window', open.replace('SPLIT_TOUCH', 'SECURE SPLIT_TOUCH'), { secure: true }],
    ['a secure window, as a number', 'fl=#81812100', { secure: true }],
    ['no secure window, as a number', 'fl=#81810100', {}],
    ['asleep', open.replace('mAwake=true', 'mAwake=false'), { asleep: true }],
    ['a phone that says nothing', '', {}],
  ])('%s', (_name, output, found) => {
    expect(parseSecureWindow(output)).toEqual({ asleep: false, locked: false, secure: false, ...found })
  })
})
