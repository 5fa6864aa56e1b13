/** Parses a page's messages and converts them to the agent's protocol. Pure. */
import { WatchTouch_Phase as TouchPhase, type WatchRequest } from '@phonerack/proto'
import { isSecret, isStorable, limits } from '@phonerack/shared'
import { z } from 'zod'
import { type PageMessage, type Phase } from './page/wire.js'

const part = z.number().min(0).max(1)
const steps = z.number().min(-16).max(16)
const { text: maxCharacters } = limits.live

const messageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), token: z.string().refine((token) => isSecret('live', token)) }),
  z.strictObject({
    type: z.literal('touch'),
    phase: z.enum(['down', 'move', 'up', 'cancel']),
    pointer: z.int().min(0).max(9),
    x: part,
    y: part,
  }),
  z.strictObject({
    type: z.literal('key'),
    down: z.boolean(),
    // The highest key code of Android 16.
    code: z.int().min(1).max(400),
    meta: z.int().min(0).max(0x7fff_ffff),
    repeat: z.int().min(0).max(100_000),
  }),
  z.strictObject({
    type: z.literal('text'),
    text: z
      .string()
      .min(1)
      .max(2 * maxCharacters)
      .refine((text) => Array.from(text).length <= maxCharacters),
  }),
  z.strictObject({ type: z.literal('scroll'), x: part, y: part, horizontal: steps, vertical: steps }),
  z.strictObject({ type: z.literal('rotate') }),
  z.strictObject({ type: z.literal('key_frame') }),
  z.strictObject({ type: z.literal('take') }),
  z.strictObject({ type: z.literal('keep_awake') }),
  z.strictObject({
    type: z.literal('give_back'),
    outcome: z.enum(['done', 'declined']),
    note: z
      .string()
      .max(2 * limits.handoffs.note)
      .refine((note) => Array.from(note).length <= limits.handoffs.note && isStorable(note)),
  }),
  z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
  z.strictObject({ type: z.literal('ping'), id: z.int().min(0), visible: z.boolean().optional() }),
])

/** Parses a message. Returns null for a message that our page does not send. */
export function readPageMessage(text: string): PageMessage | null {
  try {
    const parsed = messageSchema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const phases: Record<Phase, TouchPhase> = {
  down: TouchPhase.PHASE_DOWN,
  move: TouchPhase.PHASE_MOVE,
  up: TouchPhase.PHASE_UP,
  cancel: TouchPhase.PHASE_CANCEL,
}

/** A message that is forwarded to the phone. */
export type ToPhone = Exclude<
  PageMessage,
  { type: 'open' | 'ack' | 'ping' | 'take' | 'give_back' | 'keep_awake' }
>

export function toWatchRequest(message: ToPhone): WatchRequest {
  switch (message.type) {
    case 'touch': {
      const { pointer, x, y } = message
      return { event: { $case: 'touch', value: { phase: phases[message.phase], pointer, x, y } } }
    }
    case 'key': {
      const { down, code, meta, repeat } = message
      return { event: { $case: 'key', value: { down, keyCode: code, metaState: meta, repeat } } }
    }
    case 'text':
      return { event: { $case: 'text', value: { text: message.text } } }
    case 'scroll': {
      const { x, y, horizontal, vertical } = message
      return { event: { $case: 'scroll', value: { x, y, horizontal, vertical } } }
    }
    case 'rotate':
      return { event: { $case: 'rotate', value: {} } }
    case 'key_frame':
      return { event: { $case: 'keyFrame', value: {} } }
  }
}
