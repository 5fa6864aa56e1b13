/** A member takes control of a phone from agents, and returns it with a note. docs/decisions/0292 */
import { isStorable, limits } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type ControlView } from '../../../phone-io/handoffs/types.js'
import { changing, intoPhone, type ProjectDeps } from './caller.js'
import { isMember, signedInOf } from './gate.js'
import { controlledAnswer } from './answers.js'
import { route } from './route.js'

const note = z
  .string()
  .trim()
  .refine((text) => Array.from(text).length <= limits.handoffs.note && isStorable(text), {
    message: `must have at most ${limits.handoffs.note} characters`,
  })
const backBody = z.strictObject({ note })

/** @param reader `mayControl`: only users who may control the phone see the agent's message, as with keys */
export const controlJson = (control: ControlView, reader: { user: { id: string }; mayControl: boolean }) => ({
  id: control.id,
  status: control.status,
  message: reader.mayControl ? control.message : null,
  by: control.member?.name ?? null,
  is_you: control.member?.id === reader.user.id,
  expires_at: control.expiresAt.toISOString(),
})

const readerOf = (request: FastifyRequest) => ({
  user: signedInOf(request).user,
  mayControl: isMember(request),
})

export function addControl(app: FastifyInstance, { services }: ProjectDeps): void {
  const { handoffs, phones } = services
  route(
    app,
    'GET /projects/:project/phones/:phone/control',
    { answer: controlledAnswer },
    async (request, reply) => {
      const { caller, phoneId } = intoPhone(request, reply)
      const control = await handoffs.current(caller, phoneId)
      return { control: control && controlJson(control, readerOf(request)) }
    },
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/control',
    { answer: controlledAnswer },
    (request, reply) =>
      changing(request, reply, phones, async ({ caller, phoneId }) => {
        const { sessionId } = signedInOf(request)
        return {
          control: controlJson(await handoffs.takeOver(caller, phoneId, sessionId), readerOf(request)),
        }
      }),
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/control/:handoff/end',
    { body: backBody, answer: controlledAnswer },
    (request, reply) => {
      const { note: text } = request.body
      return changing(request, reply, phones, async ({ caller, phoneId }) => {
        await handoffs.giveBack(caller, phoneId, request.params.handoff, text || null)
        return { control: null }
      })
    },
  )
}
