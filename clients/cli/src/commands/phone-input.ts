/** `phone tap|long-press|type|clear|swipe|drag|scroll|key|open`: one action each. */
import {
  clear,
  doubleTap,
  drag,
  key,
  longPress,
  openApp,
  openUrl,
  scroll,
  scrollTo,
  swipe,
  tap,
  type,
  waitFor,
  type Action,
  type Direction,
  type Key,
  type Target,
} from '@phonerack/sdk'
import type { Command } from 'commander'
import { act } from '../act.js'
import type { App, Run } from '../app.js'
import { durationMs } from '../duration.js'
import { phoneOf, splitOperands } from '../phone-operand.js'
import { readAll } from '../stdin.js'
import { pointOf, requiredTarget, targetOf, targetOptions, type TargetFlags } from '../target.js'
import { UsageError } from '../usage-error.js'

interface InputFlags extends TargetFlags {
  timeout?: string
  observe?: boolean
}

/** The parts of an action. */
interface Given<Flags> {
  rest: readonly string[]
  flags: Flags
  run: Run
  lastSnapshot: string | null
}

export function addPhoneInputCommands(phone: Command, app: App): void {
  /** Adds a command that runs one action. With `--timeout`, the command waits for the target first. */
  const add = <Flags extends object>(
    command: Command,
    names: readonly string[],
    actionOf: (given: Given<InputFlags & Flags>) => Action | Promise<Action>,
  ): void => {
    command.option('--observe', 'print the screen afterwards')
    app.on<InputFlags & Flags>(command, async (run, operands, flags) => {
      const { phone: given, rest } = splitOperands(operands, names)
      const { lastSnapshot } = await run.session()
      const action = await actionOf({ rest, flags, run, lastSnapshot })
      const found = await phoneOf(run, given)
      const actions = [...waitOf(targetOf(flags, lastSnapshot), flags.timeout), action]
      await act(run, found, actions, flags.observe === true)
    })
  }
  const onTarget = (name: string, description: string, words = '[phone]', what = 'the element'): Command =>
    targetOptions(phone.command(name).description(description).argument(words), what).option(
      '--timeout <duration>',
      'how long to wait for the element; by default, it must be on the screen now',
    )

  add<{ double?: boolean; long?: boolean; duration?: string }>(
    onTarget('tap', 'touch an element or a point')
      .option('--double', 'twice')
      .option('--long', 'for longer')
      .option('--duration <duration>', 'with --long: this long'),
    [],
    ({ flags, lastSnapshot }) => tapOf(requiredTarget(flags, lastSnapshot), flags),
  )
  add<{ duration?: string }>(
    onTarget('long-press', 'touch an element or a point for longer, like `tap --long`').option(
      '--duration <duration>',
      'the duration of the touch; the default is 800ms',
    ),
    [],
    ({ flags, lastSnapshot }) => tapOf(requiredTarget(flags, lastSnapshot), { ...flags, long: true }),
  )
  add<{ clear?: boolean; submit?: boolean }>(
    onTarget('type', 'type text into the focused field; - reads it from stdin', '[phone]', 'into the field')
      .argument('[text]')
      .option('--clear', 'replace the text of the field')
      .option('--submit', 'press Enter afterwards'),
    ['text'],
    async ({ rest: [text = ''], flags, run, lastSnapshot }) => {
      const into = targetOf(flags, lastSnapshot)
      const written = text === '-' ? (await readAll(run.io)).toString('utf8').replace(/\r?\n$/, '') : text
      const { clear: clears, submit } = flags
      return type(written, {
        ...(into === undefined ? {} : { into }),
        ...(clears === undefined ? {} : { clear: clears }),
        ...(submit === undefined ? {} : { submit }),
      })
    },
  )
  add(onTarget('clear', 'empty the focused field, or one by target', '[phone]', 'the field'), [], (given) =>
    clear(targetOf(given.flags, given.lastSnapshot)),
  )
  add<{ from: string; to: string; duration?: string }>(
    phone
      .command('swipe')
      .description('move a finger from one point to another')
      .argument('[phone]')
      .requiredOption('--from <x,y>', 'start in device pixels')
      .requiredOption('--to <x,y>', 'end in device pixels')
      .option('--duration <duration>', 'time of the movement'),
    [],
    ({ flags: { from, to, duration } }) => {
      const time = duration === undefined ? {} : { durationMs: durationMs(duration, '--duration') }
      return swipe(pointOf(from, '--from'), pointOf(to, '--to'), time)
    },
  )
  add<{ from: string; to: string; hold?: string; duration?: string }>(
    phone
      .command('drag')
      .description('hold an item at one point, and drop it at another')
      .argument('[phone]')
      .requiredOption('--from <x,y>', 'start in device pixels')
      .requiredOption('--to <x,y>', 'end in device pixels')
      .option('--hold <duration>', 'time before the movement')
      .option('--duration <duration>', 'time of the movement'),
    [],
    ({ flags: { from, to, hold, duration } }) =>
      drag(pointOf(from, '--from'), pointOf(to, '--to'), {
        ...(hold === undefined ? {} : { holdMs: durationMs(hold, '--hold') }),
        ...(duration === undefined ? {} : { durationMs: durationMs(duration, '--duration') }),
      }),
  )
  add<{ amount?: string; direction?: string }>(
    onTarget(
      'scroll',
      'scroll up, down, left or right; `scroll to` with a target scrolls until it is visible',
    )
      .argument('[where]')
      .option('--amount <part>', 'part of the scrollable area, such as 0.5')
      .option('--direction <direction>', 'with `to`: the direction to scroll in; the default is down'),
    ['where'],
    ({ rest: [where = ''], flags, lastSnapshot }) => scrollOf(where, flags, targetOf(flags, lastSnapshot)),
  )
  add<{ modifier?: string[] }>(
    phone
      .command('key')
      .description('press a key, such as back, home, recents, enter, tab, del, volume_up, wake')
      .argument('[phone]')
      .argument('[key]')
      .option('--modifier <name...>', 'hold shift, ctrl, alt or meta'),
    ['key'],
    ({ rest: [name = ''], flags: { modifier } }) => keyOf(name, modifier),
  )
  add<{ activity?: string }>(
    phone
      .command('open')
      .description('open an app by its package or its name, or an address')
      .argument('[phone]')
      .argument('[app or url]')
      .option('--activity <name>', 'this activity of the app'),
    ['app or url'],
    ({ rest: [what = ''], flags: { activity } }) =>
      /^[a-z][a-z0-9+.-]*:/i.test(what)
        ? openUrl(what)
        : // A package has a dot.
          openApp(what.includes('.') ? what : { label: what }, activity === undefined ? {} : { activity }),
  )
}

function waitOf(target: Target | undefined, timeout: string | undefined): Action[] {
  if (timeout === undefined) return []
  if (target === undefined || 'x' in target)
    throw new UsageError('--timeout needs a target that can be waited for.')
  return [waitFor(target, { timeout: durationMs(timeout, '--timeout') })]
}

function tapOf(target: Target, flags: { double?: boolean; long?: boolean; duration?: string }): Action {
  if (flags.double === true && flags.long === true) throw new UsageError('Give --double or --long, not both.')
  if (flags.duration !== undefined && flags.long !== true) throw new UsageError('--duration needs --long.')
  if (flags.double === true) return doubleTap(target)
  if (flags.long !== true) return tap(target)
  return longPress(
    target,
    flags.duration === undefined ? {} : { durationMs: durationMs(flags.duration, '--duration') },
  )
}

const directions: readonly string[] = ['up', 'down', 'left', 'right'] satisfies Direction[]
const directionOf = (text: string, what: string): Direction => {
  if (directions.includes(text)) return text as Direction
  throw new UsageError(`${what} must be ${directions.join(', ')}.`)
}

function scrollOf(
  where: string,
  { amount, direction }: { amount?: string; direction?: string },
  target: Target | undefined,
): Action {
  if (where === 'to') {
    if (target === undefined || 'x' in target || 'ref' in target)
      throw new UsageError('`scroll to` needs --text, --id or --desc.')
    return scrollTo(
      target,
      direction === undefined ? {} : { direction: directionOf(direction, '`--direction`') },
    )
  }
  const part = amount === undefined ? null : Number(amount)
  if (part !== null && !(part > 0 && part <= 1))
    throw new UsageError('`--amount` must be above 0 and at most 1.')
  return scroll(directionOf(where, 'The direction'), {
    ...(target === undefined ? {} : { target }),
    ...(part === null ? {} : { amount: part }),
  })
}

/** The API checks the names, because later releases may add keys. */
function keyOf(name: string, modifiers: readonly string[] | undefined): Action {
  if (modifiers === undefined && (name === 'back' || name === 'home' || name === 'recents'))
    return { type: name }
  return key(name as Key, modifiers as Parameters<typeof key>[1])
}
