/** `input`: touches, keys and text from the shell. Source of forms and messages: AOSP `InputShellCommand`. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Android } from '../../android/android.js'
import type { World } from '../../android/world.js'
import { unicodeIme } from '../../helpers/unicode-ime.js'
import { decode } from '../bytes.js'
import { type CommandIo, type CommandTable } from '../command.js'
import { keyCodeOf } from './key-codes.js'

const sources =
  'touchnavigation touchscreen joystick stylus touchpad gamepad dpad mouse keyboard trackball rotaryencoder'.split(
    ' ',
  )
/** A move is sent about every 5 ms, as by the real command. */
const moveEveryMs = 5
const longPressMs = 500
const tapMs = 10
const enterKey = 66

const usage = `Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The commands and default sources are:
      text <string> (Default: keyboard)
      keyevent [--longpress|--doubletap] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)
`

class BadArguments extends Error {}

function numbers(args: readonly string[], count: number): number[] {
  const values = args.map(Number)
  if (args.length < count || values.some(Number.isNaN))
    throw new BadArguments('Invalid arguments for command: ')
  return values
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

async function swipe(io: CommandIo, world: World, args: readonly string[], holdMs: number): Promise<void> {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, given] = numbers(args, 4)
  const durationMs = given === undefined || given < 0 ? 300 : given
  world.touch('down', 0, x1, y1)
  try {
    if (holdMs > 0) await wait(holdMs, io.signal)
    const start = performance.now()
    for (let past = 0; past < durationMs && !io.signal.aborted; past = performance.now() - start) {
      const part = past / durationMs
      world.touch('move', 0, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
      await wait(moveEveryMs, io.signal)
    }
    world.touch('move', 0, x2, y2)
  } finally {
    world.touch('up', 0, x2, y2)
  }
}

/** `KeyEvent.META_*_ON` of the modifier keys held during later keys: `InputShellCommand.MODIFIER`, Android 13 and newer. */
const modifierBits: Readonly<Record<number, number>> = {
  57: 0x2,
  58: 0x2,
  59: 0x1,
  60: 0x1,
  113: 0x1000,
  114: 0x1000,
}

async function press(io: CommandIo, world: World, codes: readonly number[], heldMs: number): Promise<void> {
  let meta = 0
  for (const code of codes) {
    world.key('down', code, meta)
    meta |= modifierBits[code] ?? 0
  }
  if (heldMs > 0) await wait(heldMs, io.signal)
  for (const code of [...codes].reverse()) world.key('up', code, 0)
}

async function keyEvents(io: CommandIo, world: World, args: readonly string[]): Promise<void> {
  const options = args.filter((arg) => arg.startsWith('--'))
  const names = args.filter((arg) => !arg.startsWith('--'))
  if (names.length === 0) throw new BadArguments('Argument expected after "keyevent"')
  for (const name of names) {
    const code = keyCodeOf(name)
    // An unknown key is sent as KEYCODE_UNKNOWN, which does nothing, as on Android.
    if (code === null) continue
    await press(io, world, [code], options.includes('--longpress') ? longPressMs : 0)
    if (options.includes('--doubletap')) await press(io, world, [code], 0)
  }
}

/** `%s` is a space. The key map of a phone has only ASCII characters. */
function typeText(android: Android, argument: string): void {
  const { world } = android
  const text = decode(argument).replaceAll('%s', ' ')
  if (/[^\t\n\x20-\x7e]/.test(text)) throw new NullPointerException()
  text.split('\n').forEach((line, index) => {
    if (index > 0) {
      world.key('down', enterKey, 0)
      world.key('up', enterKey, 0)
    }
    const typed =
      android.settings.get('secure', 'default_input_method') === unicodeIme ? unicode(android, line) : line
    if (typed !== '') world.commitText(typed)
  })
}

/** The keyboard of io.appium.settings receives the keys first. */
function unicode({ unicodeIme: keyboard }: Android, line: string): string {
  return Array.from(line, (character) => keyboard.type(character)).join('')
}

/** The exception of `input text` for a character that no key produces. */
class NullPointerException extends Error {}

const motions = { DOWN: 'down', MOVE: 'move', UP: 'up', CANCEL: 'cancel' } as const

async function run(io: CommandIo): Promise<void> {
  const { world } = io.android
  const args = [...io.args]
  if (sources.includes(args[0] ?? '')) args.shift()
  if (args[0] === '-d') args.splice(0, 2)
  const [command = '', ...rest] = args
  switch (command) {
    case 'tap': {
      const [x = 0, y = 0] = numbers(rest, 2)
      world.touch('down', 0, x, y)
      await wait(tapMs, io.signal)
      world.touch('up', 0, x, y)
      return
    }
    case 'swipe':
      return swipe(io, world, rest, 0)
    case 'draganddrop':
      return swipe(io, world, rest, longPressMs)
    case 'motionevent': {
      const action = motions[(rest[0] ?? '').toUpperCase() as keyof typeof motions] as
        | (typeof motions)['DOWN' | 'UP' | 'MOVE' | 'CANCEL']
        | undefined
      if (action === undefined) throw new BadArguments(`Unknown action: ${rest[0] ?? ''}`)
      const [x = 0, y = 0] = numbers(rest.slice(1), action === 'cancel' ? 0 : 2)
      return world.touch(action, 0, x, y)
    }
    case 'text':
      if (rest[0] === undefined) throw new BadArguments('Argument expected after "text"')
      return typeText(io.android, rest[0])
    case 'keyevent':
      return keyEvents(io, world, rest)
    case 'keycombination': {
      const timed = rest[0] === '-t'
      const codes = (timed ? rest.slice(2) : rest).map(keyCodeOf).filter((code) => code !== null)
      return press(io, world, codes, timed ? Number(rest[1]) : 0)
    }
    case 'press':
    case 'roll':
      return
    default:
      throw new BadArguments(command === '' ? '' : `Unknown command: ${command}`)
  }
}

export const inputCommands: CommandTable = {
  input: async (io) => {
    try {
      await run(io)
      return 0
    } catch (error) {
      if (error instanceof NullPointerException) {
        await io.err(
          "\nException occurred while executing 'text':\njava.lang.NullPointerException: Attempt to get length of null array\n\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:347)\n",
        )
        return 255
      }
      if (!(error instanceof BadArguments)) throw error
      await io.err(`Error: ${error.message}\n${usage}`)
      return 255
    }
  },
}
