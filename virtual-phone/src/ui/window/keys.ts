/**
 * The effects of Android's key codes (`android.view.KeyEvent`): editing in the focused field, moving the direction
 * keys' focus, and the system's keys.
 */
import {
  deleteBackward,
  deleteForward,
  insert,
  moveCursor,
  selectAll,
  selectedText,
  type EditState,
  type Move,
} from '../toolkit/edit-state.js'
import { type EditBinding } from '../toolkit/view.js'
import { characterOf } from './key-characters.js'

export const KEY = {
  home: 3,
  back: 4,
  up: 19,
  down: 20,
  left: 21,
  right: 22,
  center: 23,
  power: 26,
  tab: 61,
  space: 62,
  enter: 66,
  del: 67,
  pageUp: 92,
  pageDown: 93,
  escape: 111,
  forwardDel: 112,
  moveHome: 122,
  moveEnd: 123,
  numpadEnter: 160,
  appSwitch: 187,
  sleep: 223,
  wakeup: 224,
  softSleep: 276,
  cut: 277,
  copy: 278,
  paste: 279,
  search: 84,
  a: 29,
  c: 31,
  v: 50,
  x: 52,
} as const

export const META = { shift: 0x1, alt: 0x2, ctrl: 0x1000, capsLock: 0x100000 } as const

export interface EditTarget {
  binding: EditBinding
  clipboard: string
  setClipboard: (text: string) => void
  /** The field's text changed. */
  changed: () => void
}

/** Inserts text as far as the field accepts it; a single-line field drops line breaks. */
export function typeText(binding: EditBinding, text: string): void {
  const state = binding.state
  const clean = binding.multiline ? text.replace(/\r\n?/g, '\n') : text.replace(/[\r\n]+/g, ' ')
  const room = binding.maxLength - (state.text.length - selectedText(state).length)
  const cut = clean.slice(0, Math.max(0, room))
  const last = cut.charCodeAt(cut.length - 1)
  insert(state, cut.length < clean.length && last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut)
}

const MOVES: Record<number, { plain: Move; ctrl: Move }> = {
  [KEY.left]: { plain: 'left', ctrl: 'word_left' },
  [KEY.right]: { plain: 'right', ctrl: 'word_right' },
  [KEY.up]: { plain: 'up', ctrl: 'start' },
  [KEY.down]: { plain: 'down', ctrl: 'end' },
  [KEY.moveHome]: { plain: 'line_start', ctrl: 'start' },
  [KEY.moveEnd]: { plain: 'line_end', ctrl: 'end' },
}

/** The up key on the first line and the down key on the last line leave a field, as on Android. */
function leaves(state: EditState, keyCode: number, multiline: boolean): boolean {
  if (keyCode === KEY.up) return !multiline || !state.text.slice(0, state.head).includes('\n')
  if (keyCode === KEY.down) return !multiline || !state.text.slice(state.head).includes('\n')
  return false
}

function clipboardKey(target: EditTarget, keyCode: number, ctrl: boolean): boolean {
  const { binding } = target
  const state = binding.state
  const chosen = selectedText(state)
  const secret = binding.inputType === 0x81
  if (keyCode === KEY.copy || (ctrl && keyCode === KEY.c)) {
    if (chosen !== '' && !secret) target.setClipboard(chosen)
  } else if (keyCode === KEY.cut || (ctrl && keyCode === KEY.x)) {
    if (chosen !== '' && !secret) {
      target.setClipboard(chosen)
      insert(state, '')
      target.changed()
    }
  } else if (keyCode === KEY.paste || (ctrl && keyCode === KEY.v)) {
    if (target.clipboard !== '') {
      typeText(binding, target.clipboard)
      target.changed()
    }
  } else if (ctrl && keyCode === KEY.a) selectAll(state)
  else return false
  return true
}

/** Handles a key's press in a field; false when the field does not use this key. */
export function editKey(target: EditTarget, keyCode: number, meta: number): boolean {
  const { binding } = target
  const state = binding.state
  const ctrl = (meta & META.ctrl) !== 0
  if (clipboardKey(target, keyCode, ctrl)) return true
  const move = MOVES[keyCode]
  if (move) {
    if (!ctrl && leaves(state, keyCode, binding.multiline)) return false
    moveCursor(state, ctrl ? move.ctrl : move.plain, (meta & META.shift) !== 0)
    return true
  }
  if (keyCode === KEY.del || keyCode === KEY.forwardDel) {
    if (ctrl && state.anchor === state.head)
      moveCursor(state, keyCode === KEY.del ? 'word_left' : 'word_right', true)
    if (keyCode === KEY.del) deleteBackward(state)
    else deleteForward(state)
    target.changed()
    return true
  }
  if (keyCode === KEY.enter || keyCode === KEY.numpadEnter) {
    if (binding.multiline) {
      typeText(binding, '\n')
      target.changed()
    } else binding.onAction()
    return true
  }
  const character = ctrl ? undefined : characterOf(keyCode, meta)
  if (character === undefined) return false
  typeText(binding, character)
  target.changed()
  return true
}
