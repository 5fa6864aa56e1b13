/** Tools for the life of a phone, from rent to park. */
import { z } from 'zod'
import { phoneStatuses } from '../../../base/core/statuses.js'
import {
  idleTimeoutField,
  maxDurationField,
  metadataField,
  nameField,
  newIdleTimeoutField,
  onIdleField,
  pageFields,
} from '../../routes/fields.js'
import { type PhoneJson } from '../../routes/schemas.js'
import { answer } from '../answers.js'
import { orKnown, path, polls, type Api } from '../api.js'
import { pageAnswer, pageOutput } from '../lists.js'
import { changedPhoneOutput, phoneId, phoneOutput } from '../schemas.js'
import { entryLine, quoted } from '../text.js'
import { adds, defineTool, destroys, reads, settles, type ToolAnswer } from '../tool.js'

const moving: Record<'ready' | 'parked', readonly string[]> = {
  ready: ['creating', 'starting'],
  parked: ['parking'],
}

/**
 * Waits until the phone has the status `wait`, or the time of the call has passed. @throws ApiFailure when the phone
 * fails during the wait
 */
export async function waitFor(api: Api, phone: PhoneJson, wait: 'ready' | 'parked'): Promise<PhoneJson> {
  if (!moving[wait].includes(phone.status)) return phone
  const query = { wait, timeout: api.pollSeconds() }
  return orKnown(api.json<PhoneJson>({ method: 'GET', path: path`/v1/phones/${phone.id}`, query }), phone)
}

function nextFor({ id, status }: PhoneJson): string {
  const call = (tool: string, more: object = {}): string => `${tool} ${quoted({ phone_id: id, ...more })}`
  switch (status) {
    case 'ready':
      return `${call('observe')}; ${call('park_phone')} at the end of your work.`
    case 'creating':
    case 'starting':
      return call('get_phone', { wait: 'ready' })
    case 'parking':
      return call('get_phone', { wait: 'parked' })
    case 'parked':
    case 'unavailable':
      return `${call('start_phone')} when you need it again.`
    default:
      return 'create_phone for another phone.'
  }
}

export const phoneAnswer = (phone: PhoneJson): ToolAnswer =>
  answer(phone, `phone ${phone.id} is ${phone.status}`, nextFor(phone))

const getPhone = (api: Api, id: string): Promise<PhoneJson> =>
  api.json({ method: 'GET', path: path`/v1/phones/${id}` })

export const phoneTools = [
  defineTool({
    name: 'list_phones',
    title: 'List phones',
    description:
      'List your phones, newest first. Use it first: start_phone is faster than create_phone, and data are kept.',
    input: z.strictObject({
      status: z.enum(phoneStatuses).optional().describe('Default: all except failed and deleted'),
      metadata: z.record(z.string(), z.string()).optional().describe('One pair that phones must have'),
      limit: pageFields.limit.optional().meta({ description: '' }),
      cursor: z.string().min(1).optional().describe('next_cursor of the page before'),
    }),
    output: pageOutput,
    annotations: reads,
    async run({ metadata = {}, ...query }, api) {
      const pairs = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value] as const)
      const read = (limit = query.limit) =>
        api.json<{ data: PhoneJson[]; next_cursor: string | null }>({
          method: 'GET',
          path: '/v1/phones',
          query: { ...query, ...Object.fromEntries(pairs), limit },
        })
      return pageAnswer(read, 'phones', ({ session, ...phone }: PhoneJson) =>
        entryLine({ ...phone, parks_at: session?.parks_at }),
      )
    },
  }),
  defineTool({
    name: 'create_phone',
    title: 'Create a phone',
    description:
      'Rent a new phone and wait until it is ready. Billing starts now and ends with park_phone. If still creating, call get_phone with wait. Then observe.',
    input: z.strictObject({
      name: nameField.optional().meta({ description: '' }),
      country: z.string().min(1).optional().describe('A code of countries in get_account'),
      metadata: metadataField.optional().meta({ description: '' }),
      on_idle: onIdleField.optional().meta({ description: '' }),
      idle_timeout: idleTimeoutField.optional().describe('Seconds without a request; default 300'),
      max_duration: maxDurationField.optional().describe('Seconds; default 900'),
      idempotency_key: z
        .string()
        .min(1)
        .optional()
        .describe('Repeating a call with the same key (8 to 128 letters or digits) creates nothing new'),
    }),
    output: phoneOutput,
    annotations: { ...adds, openWorldHint: true },
    async run({ idempotency_key: idempotencyKey, ...body }, api) {
      const phone = await api.json<PhoneJson>({
        method: 'POST',
        path: '/v1/phones',
        idempotencyKey,
        json: { ...body, wait: false },
      })
      return phoneAnswer(await waitFor(api, phone, 'ready'))
    },
  }),
  defineTool({
    name: 'get_phone',
    title: 'Get a phone',
    description: `Read the state of a phone, or wait up to ${polls.phone} seconds until it is ready or parked.`,
    input: z.strictObject({
      phone_id: phoneId,
      wait: z.enum(['ready', 'parked']).optional(),
      timeout: z.int().min(1).max(polls.phone).optional().describe('Seconds to wait'),
    }),
    output: phoneOutput,
    annotations: reads,
    async run({ phone_id: id, wait, timeout }, api) {
      if (wait === undefined) return phoneAnswer(await getPhone(api, id))
      const query = { wait, timeout: api.pollSeconds(timeout) }
      return phoneAnswer(await api.json({ method: 'GET', path: path`/v1/phones/${id}`, query }))
    },
  }),
  defineTool({
    name: 'start_phone',
    title: 'Start a phone, or renew its session',
    description:
      'Start a parked phone, and wait until it is ready. On a running phone it extends the session and reserves credit again. If unsure whether it succeeded, call get_phone.',
    input: z.strictObject({
      phone_id: phoneId,
      idle_timeout: newIdleTimeoutField.meta({ description: '' }),
      max_duration: maxDurationField.optional().meta({ description: '' }),
    }),
    output: changedPhoneOutput,
    annotations: adds,
    async run({ phone_id: id, ...body }, api) {
      const json = { ...body, wait: false }
      const phone = await api.json<PhoneJson>({ method: 'POST', path: path`/v1/phones/${id}/start`, json })
      return phoneAnswer(await waitFor(api, phone, 'ready'))
    },
  }),
  defineTool({
    name: 'park_phone',
    title: 'Park a phone',
    description: 'Stop a phone and its billing; data stay, unless on_idle is delete. Call it at the end.',
    input: z.strictObject({ phone_id: phoneId }),
    output: changedPhoneOutput,
    annotations: settles,
    async run({ phone_id: id }, api) {
      const json = { wait: false }
      const phone = await api.json<PhoneJson>({ method: 'POST', path: path`/v1/phones/${id}/park`, json })
      return phoneAnswer(await waitFor(api, phone, 'parked'))
    },
  }),
  defineTool({
    name: 'delete_phone',
    title: 'Delete a phone',
    description:
      'Delete a phone with all its data, permanently. Needs a key that may delete; park_phone keeps it.',
    input: z.strictObject({ phone_id: phoneId }),
    output: changedPhoneOutput,
    annotations: destroys,
    async run({ phone_id: id }, api) {
      return phoneAnswer(await api.json({ method: 'DELETE', path: path`/v1/phones/${id}` }))
    },
  }),
  defineTool({
    name: 'reboot_phone',
    title: 'Reboot a phone',
    description:
      'Reboot a phone that does not respond, at most once in 10 minutes, and wait until it is ready. The session continues.',
    input: z.strictObject({ phone_id: phoneId }),
    output: changedPhoneOutput,
    annotations: { ...adds, destructiveHint: true },
    async run({ phone_id: id }, api) {
      const phone = await api.json<PhoneJson>({ method: 'POST', path: path`/v1/phones/${id}/reboot` })
      return phoneAnswer(await waitFor(api, phone, 'ready'))
    },
  }),
]
