/** Key names of the API as Android's key codes and meta states (`android.view.KeyEvent`). */
import type { keyModifiers } from '@phonerack/shared'

type Modifier = (typeof keyModifiers)[number]

const named = {
  enter: 66,
  tab: 61,
  del: 67,
  forward_del: 112,
  escape: 111,
  space: 62,
  dpad_up: 19,
  dpad_down: 20,
  dpad_left: 21,
  dpad_right: 22,
  dpad_center: 23,
  page_up: 92,
  page_down: 93,
  move_home: 122,
  move_end: 123,
  search: 84,
  menu: 82,
  back: 4,
  home: 3,
  app_switch: 187,
  volume_up: 24,
  volume_down: 25,
  volume_mute: 164,
  power: 26,
  wake: 224,
  sleep: 223,
  camera: 27,
  media_play_pause: 85,
  media_stop: 86,
  media_next: 87,
  media_previous: 88,
} as const

/** The states of the left keys: `META_SHIFT_ON | META_SHIFT_LEFT_ON`, and so on. */
const metaStates: Record<Modifier, number> = { shift: 0x41, ctrl: 0x3000, alt: 0x12, meta: 0x30000 }

/** @throws RangeError for a name outside the API's table, which validation already rejects */
export function keyCode(name: string): number {
  if (isNamed(name)) return named[name]
  if (/^[a-z]$/.test(name)) return 29 + name.charCodeAt(0) - 97
  if (/^[0-9]$/.test(name)) return 7 + name.charCodeAt(0) - 48
  throw new RangeError(`no key is named ${name}`)
}

const isNamed = (name: string): name is keyof typeof named => Object.hasOwn(named, name)

export const metaState = (modifiers: readonly Modifier[]): number =>
  modifiers.reduce((state, modifier) => state | metaStates[modifier], 0)
