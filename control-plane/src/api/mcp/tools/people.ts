/** Tools that involve a person: the live view, and hand-overs. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { type HandoffJson } from '../../routes/phones/handoffs.js'
import { validationFailed } from '../../../base/validation/validation-error.js'
import { answer } from '../answers.js'
import { path, polls } from '../api.js'
import { described, next, orNull, phoneId, string } from '../schemas.js'
import { quoted } from '../text.js'
import { adds, defineTool } from '../tool.js'

const { min, max } = limits.live.expiresIn
const expiresIn = z.int().min(min).max(max).optional().describe('Seconds; 3600')

function nextFor(handoff: HandoffJson): string {
  const again = quoted({ phone_id: handoff.phone, handoff_id: handoff.id })
  if (handoff.ended_at === null)
    return `Send the URL to the person, then wait with hand_off ${again}, repeatedly.`
  return `observe ${quoted({ phone_id: handoff.phone })}`
}

export const peopleTools = [
  defineTool({
    name: 'live_view_url',
    title: 'Create a live view link',
    description:
      'Get a URL where a person watches and controls the phone in a browser. It acts like a password. To wait for the person, use hand_off.',
    input: z.strictObject({
      phone_id: phoneId,
      expires_in: expiresIn,
      control: z.boolean().optional().describe('false: watch only'),
    }),
    output: { url: string, expires_at: string },
    annotations: { ...adds, openWorldHint: true },
    async run({ phone_id: id, ...json }, api) {
      return answer(await api.json<object>({ method: 'POST', path: path`/v1/phones/${id}/live`, json }))
    },
  }),
  defineTool({
    name: 'hand_off',
    title: 'Hand the phone to a person',
    description: `Ask a person to do something on the phone: sign in, pay, solve a check. With message it returns a URL immediately: send it to the person. Then call it again with handoff_id to wait up to ${polls.person} s for the answer; repeat while status is open or taken.`,
    input: z.strictObject({
      phone_id: phoneId,
      message: z.string().min(1).optional().describe('The task, for the person'),
      expires_in: expiresIn,
      handoff_id: z.string().min(1).optional().describe('hnd_… to wait for'),
    }),
    output: {
      id: string,
      status: described(string, 'open, taken, done, declined or expired'),

      note: orNull(string),
      url: described(string, 'Only in the answer to the first call'),
      expires_at: string,
      next,
    },
    annotations: { ...adds, openWorldHint: true },
    async run({ phone_id: id, message, expires_in, handoff_id: handoffId }, api) {
      if ((message === undefined) === (handoffId === undefined))
        throw validationFailed('body', [
          { path: [], message: 'must have exactly one of `message` and `handoff_id`' },
        ])
      const handoff =
        handoffId === undefined
          ? await api.json<HandoffJson>({
              method: 'POST',
              path: path`/v1/phones/${id}/handoffs`,
              json: { message, expires_in },
            })
          : await api.json<HandoffJson>({
              method: 'GET',
              path: path`/v1/phones/${id}/handoffs/${handoffId}`,
              query: { wait: 'done', timeout: api.pollSeconds(polls.person) },
            })
      return answer(handoff, `hand-over ${handoff.id} is ${handoff.status}`, nextFor(handoff))
    },
  }),
]
