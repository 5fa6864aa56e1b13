/** The actions `type` and `clear`: focus, text, and verification. */
import { ApiError, type ActionOf, type Target } from '@phonerack/shared'
import { DeviceGone, TextMethodUnavailable, type SentText, type TextMethod } from '../adb/device/device.js'
import type { VisibleNode } from '../screen/elements.js'
import { advice } from './advice.js'
import { unavailable, type ActionContext } from './context.js'
import {
  fieldAgain,
  fieldAt,
  focusedField,
  isFocused,
  isNamedAlone,
  isSurelyEmpty,
  mayBeText,
  originOf,
  type Field,
} from './field.js'
import { tap } from './gestures.js'
import { keyCode, metaState } from './keys.js'
import { judgeTyped, type FieldText, type Verdict } from './typed-text.js'

const focusLimitMs = 3000
const readBackLimitMs = 2000
/** Total time for all reads. */
const readBackMaxMs = 60_000
const pauseMs = 250

export async function type(action: ActionOf<'type'>, context: ActionContext): Promise<void> {
  const input = context.device.text
  if (!input) throw unavailable('text_input')
  const field = await focus(action.target, context)
  context.guard?.enter(field?.node ?? null)
  await enterText(field, action, input.methods, context)
  if (action.submit) await context.key(keyCode('enter'), 0, 'navigation')
}

export async function clear(action: ActionOf<'clear'>, context: ActionContext): Promise<void> {
  const field = await focus(action.target, context)
  context.guard?.enter(field?.node ?? null)
  if (field && isSurelyEmpty(field.node)) return
  await selectAllAndDelete(context)
  if (field) await ensureEmpty(field, context)
}

/**
 * Taps the target and returns the focused field. Null when the keyboard is shown for a view that Android does not
 * report as a text field (a terminal, a game): the view accepts text, which cannot be read back.
 * @throws ApiError no_focused_field
 */
async function focus(target: Target | undefined, context: ActionContext): Promise<Field | null> {
  let aimed: Field | null = null
  if (target) {
    const place = await context.resolve(target)
    const tree = await context.tree()
    const node = fieldAt(tree, place)
    context.guard?.enter(node)
    aimed = node && { node, tree }
    await context.gesture([tap(place.touchPoint)])
    // A guarded key needs the labels that the field has after the tap.
    if (aimed && !context.guard && isNamedAlone(aimed)) {
      await context.settled()
      const found = await context.device.text?.focused?.(context.progress)
      if (found && isFocused(aimed, found)) return { ...aimed, found }
    }
  }
  const until = context.now() + focusLimitMs
  let tree = await context.tree()
  for (let look = 1; ; look += 1) {
    const node = focusedField(tree)
    const focused = node && { node, tree }
    const origin = focused && aimed ? originOf(focused, aimed.tree) : null
    if (focused && (!aimed || origin === aimed.node)) return focused
    const last = look > 1 && (context.now() >= until || !target)
    if (last) {
      // A search box often opens a screen with the real field on it. Another field of the same screen is never meant.
      if (focused && aimed && origin === null && !fieldAgain(tree, aimed)) return focused
      const { keyboardVisible } = await context.device.windows.read(context.progress.within(focusLimitMs))
      if (!focused && keyboardVisible) return null
      throw new ApiError('no_focused_field', {
        next: 'Set the text field as `target`, or tap the field first.',
        details: target ? { target } : {},
      })
    }
    tree = await context.nextTree(pauseMs, 'waiting for the focus', Math.max(pauseMs, until - context.now()))
  }
}

async function selectAllAndDelete(context: ActionContext): Promise<void> {
  await context.key(keyCode('a'), metaState(['ctrl']))
  await context.key(keyCode('del'))
}

/** After two methods, the agent assumes that the app rejects the text. */
const maxMethods = 2

/**
 * Enters the text into the field and reads it back. When it did not arrive, and only
 * when the field's content is certain, another method is tried.
 */
async function enterText(
  field: Field | null,
  action: ActionOf<'type'>,
  all: readonly TextMethod[],
  context: ActionContext,
): Promise<void> {
  const { text } = action
  const whole = field !== null && (action.clear || (isSurelyEmpty(field.node) && !mayBeText(field)))
  let mustClear = action.clear && !(field && isSurelyEmpty(field.node))
  let tried = 0
  let unavailableMethod: TextMethodUnavailable | null = null
  let failure: ApiError | null = null
  for (const method of all) {
    if (!method.accepts(text) || (method.mode === 'replace' && !whole)) continue
    if (failure && tried >= maxMethods) throw failure
    if (method.mode === 'insert' && mustClear) {
      await selectAllAndDelete(context)
      // After the first method the field must be verified, since otherwise the text could appear twice.
      if (failure && !(field && (await isEmptyNow(field, context)))) throw failure
      mustClear = false
    }
    const outcome = await send(method, field, action, context)
    if (outcome === 'done') return
    if (outcome instanceof TextMethodUnavailable) {
      unavailableMethod = outcome
      continue
    }
    tried += 1
    failure = outcome.error
    if (!field || !outcome.certain) throw failure
    if (whole) mustClear = !isSurelyEmpty(outcome.field)
    // Since the cursor's position is unknown, only an unchanged field allows another
    // attempt.
    else if (!isUnchanged(field.node, outcome.field)) throw failure
  }
  if (failure) throw failure
  if (unavailableMethod?.cause instanceof DeviceGone) throw unavailableMethod.cause
  throw new ApiError('feature_unavailable', {
    message: unavailableMethod
      ? 'Typing does not work on this phone at the moment.'
      : 'This phone accepts only printable ASCII text.',
    details: { feature: 'text_input' },
  })
}

interface Missed {
  error: ApiError
  /** The field as the last read found it. */
  field: VisibleNode
  /** Whether the field shows its content and no more text is arriving. */
  certain: boolean
}

async function send(
  method: TextMethod,
  field: Field | null,
  action: ActionOf<'type'>,
  context: ActionContext,
): Promise<'done' | TextMethodUnavailable | Missed> {
  let sent: SentText
  try {
    sent = await context.write((progress) => method.send(action.text, field?.node ?? null, progress), {
      limitMs: method.limitMs(action.text),
      kind: 'touch',
    })
  } catch (error) {
    if (error instanceof TextMethodUnavailable) return error
    throw error
  }
  try {
    if (field) return await readBack(field, action, sent.sure, context)
    await context.settled()
    return 'done'
  } finally {
    await sent.release()
  }
}

async function isEmptyNow(field: Field, context: ActionContext): Promise<boolean> {
  const now = fieldAgain(await context.currentTree(), field)
  return now !== null && isSurelyEmpty(now)
}

/** Reads until the text has arrived, or the field has stopped changing: long texts arrive in parts. */
async function readBack(
  field: Field,
  action: ActionOf<'type'>,
  sure: boolean,
  context: ActionContext,
): Promise<'done' | Missed> {
  let before = textOf(field.node)
  if (field.found) {
    await context.settled()
    const text = await field.found.again(context.progress)
    const shown = text === null ? null : { text, maskedLength: 0, masked: false, empty: false }
    const isSure = !mayBeText(field) || text === action.text
    if (shown && isSure && judgeTyped(before, action.clear, action.text, shown) === 'arrived') return 'done'
    if (!isSure && text?.includes(before.text) === true) before = { ...before, empty: false }
  }
  const latest = context.now() + readBackMaxMs
  let seen = field.node
  let until = context.now() + readBackLimitMs
  let tree = await context.currentTree()
  for (let look = 1; ; look += 1) {
    const now = fieldAgain(tree, field)
    // The app accepted the text and moved on: search as you type, or the last digit of
    // a code.
    if (!now) return 'done'
    const after = textOf(now)
    const verdict = judgeTyped(before, action.clear, action.text, after)
    if (verdict === 'arrived') return 'done'
    const changed = !isUnchanged(seen, now)
    if (changed) until = Math.min(latest, context.now() + readBackLimitMs)
    if (look > 1 && context.now() >= until) {
      const certain = sure && !changed && verdict !== 'hidden'
      return { error: notArrived(sure ? verdict : 'unsure', action.text, after), field: now, certain }
    }
    seen = now
    tree = await context.nextTree(pauseMs, 'reading the text back', Math.max(pauseMs, until - context.now()))
  }
}

/** Reports lengths and never the texts, since the texts may be secret. */
function notArrived(verdict: Verdict | 'unsure', typed: string, after: FieldText): ApiError {
  const details = {
    reason: `text_${verdict}`,
    typed_length: Array.from(typed).length,
    field_length: after.masked ? after.maskedLength : Array.from(after.text).length,
  }
  const next = advice.not_typed.withoutObservation
  if (verdict === 'hidden' || verdict === 'unsure')
    return new ApiError('action_outcome_unknown', {
      message:
        verdict === 'hidden'
          ? 'The text was sent, but the masked field does not show whether it arrived.'
          : 'The connection was lost while the text was sent, and the field does not contain the text.',
      next,
      details,
    })
  return new ApiError('provider_error', {
    message: 'The text was sent, but the field contains a different text.',
    next,
    details,
  })
}

function textOf(field: VisibleNode): FieldText {
  const { text, maskedLength, password } = field
  return { text, maskedLength, masked: password, empty: isSurelyEmpty(field) }
}

const lengthOf = (field: VisibleNode): number =>
  field.password ? field.maskedLength : Array.from(field.text).length

/** Whether nothing was typed or deleted, or the text shown is a hint. */
const isUnchanged = (before: VisibleNode, now: VisibleNode): boolean =>
  before.text === now.text && before.maskedLength === now.maskedLength

/**
 * An empty field may show a hint that looks like text. When the text is unchanged, one
 * more delete is sent at its end: real text gets shorter, a hint does not. Text that
 * lost one character was not selected.
 */
async function ensureEmpty(field: Field, context: ActionContext): Promise<void> {
  let now = fieldAgain(await context.currentTree(), field)
  if (!now || isSurelyEmpty(now)) return
  if (isUnchanged(field.node, now)) {
    await deleteAtEnd(1, context)
    const then = fieldAgain(await context.currentTree(), field)
    if (!then || isUnchanged(now, then)) return
    now = then
  }
  // Anything other than a shorter text is a hint, or text that the app puts into an
  // empty field.
  if (lengthOf(now) !== lengthOf(field.node) - 1) return
  await deleteAtEnd(lengthOf(now), context)
  const last = fieldAgain(await context.currentTree(), field)
  if (last && !isSurelyEmpty(last) && lengthOf(last) === lengthOf(now))
    throw new ApiError('provider_error', { message: 'The field could not be cleared.' })
}

async function deleteAtEnd(count: number, context: ActionContext): Promise<void> {
  await context.key(keyCode('move_end'), metaState(['ctrl']))
  for (let deleted = 0; deleted < count; deleted += 1) await context.key(keyCode('del'))
}
