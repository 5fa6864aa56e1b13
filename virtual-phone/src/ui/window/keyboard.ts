/** The on-screen keyboard: the keys for the focused field, as views that type when tapped. */
import { type Theme } from '../toolkit/theme.js'
import { column, frame, label } from '../toolkit/widgets.js'
import { INPUT_TYPE } from '../toolkit/widgets.js'
import { view, type EditBinding, type View } from '../toolkit/view.js'
import { type KeyboardState } from './model.js'

export interface KeyboardActions {
  type: (text: string) => void
  backspace: () => void
  enter: () => void
}

/** dp above the navigation bar. */
export const KEYBOARD_HEIGHT = (landscape: boolean): number => (landscape ? 196 : 272)

const LETTERS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const SYMBOLS = ['1234567890', '@#$_&-+()/', '*"\':;!?']
const MORE = ['~`|•√π÷×§∆', '£¢€¥^°={}\\', '%©®™✓[]']
const NUMBERS = ['123', '456', '789', '*0#']

interface KeyLook {
  text?: string
  glyph?: string
  description: string
  weight?: number
  accent?: boolean
  special?: boolean
  small?: boolean
}

const ACTION_GLYPH: Record<EditBinding['action'], string> = {
  newline: 'keyboard_return',
  next: 'keyboard_tab',
  done: 'check',
  search: 'search',
  go: 'arrow_forward',
}
const ACTION_NAME: Record<EditBinding['action'], string> = {
  newline: 'Enter',
  next: 'Next',
  done: 'Done',
  search: 'Search',
  go: 'Go',
}

function keyView(theme: Theme, look: KeyLook, onClick: () => void): View {
  const background = look.accent
    ? theme.primary
    : look.special
      ? theme.dark
        ? '#33373f'
        : '#cfd4e2'
      : theme.dark
        ? '#43464e'
        : '#ffffff'
  const color = look.accent ? theme.onPrimary : theme.text
  const face = look.glyph
    ? view('android.view.View', {
        width: 'fill',
        height: 'fill',
        mark: { kind: 'icon', glyph: look.glyph, size: 22, color },
      })
    : label({ ...theme, text: color }, look.text ?? '', {
        width: 'fill',
        height: 'fill',
        gravity: { y: 'center' },
        look: { size: look.special || look.small ? 15 : 21, align: 'center', maxLines: 1 },
      })
  return frame(
    {
      weight: look.weight ?? 2,
      height: 'fill',
      padding: { left: 2.5, right: 2.5, top: 4, bottom: 4 },
      description: look.description,
      onClick,
    },
    [
      frame({ width: 'fill', height: 'fill', box: { color: background, radius: look.accent ? 'full' : 7 } }, [
        face,
      ]),
    ],
  )
}

const keyRow = (keys: readonly View[], inset = 0): View =>
  view(
    'android.view.View',
    { arrangement: 'row', width: 'fill', weight: 1, padding: { left: inset, right: inset } },
    keys,
  )

/** Returns the current keys. The field determines letters or numbers, and the action of enter. */
export function keyboardView(
  theme: Theme,
  state: KeyboardState,
  edit: EditBinding,
  actions: KeyboardActions,
  landscape: boolean,
): View {
  const upper = state.page === 'letters' && state.shift !== 'off'
  const characters = (line: string): View[] =>
    Array.from(line).map((c) => {
      const shown = upper ? c.toUpperCase() : c
      return keyView(theme, { text: shown, description: shown }, () => {
        actions.type(shown)
        if (state.shift === 'once') state.shift = 'off'
      })
    })
  const special = (text: string, description: string, weight: number, onClick: () => void): View =>
    keyView(theme, { text, description, weight, special: true }, onClick)
  const backspace = keyView(
    theme,
    { glyph: 'backspace', description: 'Delete', weight: 3, special: true },
    actions.backspace,
  )
  const enter = keyView(
    theme,
    { glyph: ACTION_GLYPH[edit.action], description: ACTION_NAME[edit.action], weight: 3, accent: true },
    actions.enter,
  )
  const page = (name: KeyboardState['page']) => (): void => {
    state.page = name
    state.shift = 'off'
  }
  const rows: View[] = []
  if (edit.inputType === INPUT_TYPE.phone) {
    NUMBERS.forEach((line, i) => {
      const last =
        i === 0
          ? [backspace]
          : i === 3
            ? [enter]
            : [
                special(i === 1 ? '+' : ' ', i === 1 ? '+' : 'Space', 3, () =>
                  actions.type(i === 1 ? '+' : ' '),
                ),
              ]
      rows.push(
        keyRow([
          ...Array.from(line).map((c) =>
            keyView(theme, { text: c, description: c, weight: 4 }, () => actions.type(c)),
          ),
          ...last,
        ]),
      )
    })
  } else {
    const lines = state.page === 'letters' ? LETTERS : state.page === 'symbols' ? SYMBOLS : MORE
    const shift =
      state.page === 'letters'
        ? keyView(
            theme,
            {
              glyph: state.shift === 'lock' ? 'keyboard_capslock' : 'arrow_upward',
              description: 'Shift',
              weight: 3,
              special: true,
              accent: state.shift !== 'off',
            },
            () => {
              state.shift = state.shift === 'off' ? 'once' : state.shift === 'once' ? 'lock' : 'off'
            },
          )
        : special(
            state.page === 'symbols' ? '=\\<' : '?123',
            state.page === 'symbols' ? 'More symbols' : 'Symbols',
            3,
            page(state.page === 'symbols' ? 'more' : 'symbols'),
          )
    rows.push(keyRow(characters(lines[0] ?? '')))
    rows.push(keyRow(characters(lines[1] ?? ''), state.page === 'letters' ? 18 : 0))
    rows.push(keyRow([shift, ...characters(lines[2] ?? ''), backspace]))
    const comma = edit.inputType === INPUT_TYPE.email ? '@' : edit.inputType === INPUT_TYPE.uri ? '/' : ','
    rows.push(
      keyRow([
        special(
          state.page === 'letters' ? '?123' : 'ABC',
          state.page === 'letters' ? 'Symbols' : 'Letters',
          3,
          page(state.page === 'letters' ? 'symbols' : 'letters'),
        ),
        special(comma, comma, 2, () => actions.type(comma)),
        keyView(theme, { text: 'English', description: 'Space', weight: 9, small: true }, () =>
          actions.type(' '),
        ),
        special('.', '.', 2, () => actions.type('.')),
        enter,
      ]),
    )
  }
  const strip = view(
    'android.view.View',
    {
      arrangement: 'row',
      width: 'fill',
      height: landscape ? 28 : 44,
      padding: { left: 12, right: 12 },
      gravity: { y: 'center' },
    },
    ['apps', 'emoji_emotions', 'content_paste', 'settings', 'palette', 'mic_none'].map((glyph) =>
      view('android.view.View', {
        weight: 1,
        height: 24,
        mark: { kind: 'icon', glyph, size: 20, color: theme.secondary },
      }),
    ),
  )
  return column(
    {
      height: 'fill',
      padding: { left: 3, right: 3, bottom: 4 },
      box: { color: theme.dark ? '#1b1d22' : '#e3e5ee', radius: 0 },
      blocksTouch: true,
    },
    [strip, ...rows],
  )
}
