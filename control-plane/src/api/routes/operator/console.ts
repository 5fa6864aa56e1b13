/**
 * Routes of `/operator/v1` for the console: whether an operator can sign in, links for new operators, and the list of
 * users.
 */
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { type ConsoleConfig } from '../../../base/config/console.js'
import { type Core } from '../../../base/core/core.js'
import {
  emailSchema,
  inviteOperator,
  listOperatorInvitations,
  withdrawOperatorInvitation,
} from '../../../people/users/invitations.js'
import { createReset } from '../../../people/users/passwords.js'
import { deleteUser, listUsers } from '../../../people/users/people.js'
import { listOf } from '../shape.js'
import { newLinkAnswer, operatorLinkAnswer, removedAnswer } from './answers.js'
import { operatorApi } from './api.js'

/** The console's address, and whether an operator can sign in there. */
const consoleAnswer = z.object({ url: z.string(), has_operator: z.boolean() })
const userAnswer = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  is_operator: z.boolean(),
  created_at: z.string(),
  projects: z.array(z.object({ project: z.string(), role: z.string() })),
})
const resetSchema = z.strictObject({ email: emailSchema })

export const consoleOperatorPlugin =
  (core: Core, { origin }: ConsoleConfig): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)
    api.read('/console', { answer: consoleAnswer }, async () => ({
      url: `${origin}/console`,
      has_operator: (await core.db.user.count({ where: { isOperator: true } })) > 0,
    }))
    api.write(
      {
        method: 'POST',
        url: '/invitations',
        action: 'invitation.create',
        answer: newLinkAnswer,
        status: 201,
      },
      (work) => inviteOperator(work, origin),
    )
    api.read('/invitations', { answer: listOf(operatorLinkAnswer) }, async () => ({
      data: await listOperatorInvitations(core),
    }))
    api.write(
      { method: 'DELETE', url: '/invitations/:id', action: 'invitation.withdraw', answer: removedAnswer },
      (work, { params }) => withdrawOperatorInvitation(work, params.id),
    )
    api.write(
      {
        method: 'POST',
        url: '/resets',
        action: 'password.reset_link',
        answer: newLinkAnswer,
        status: 201,
        body: resetSchema,
      },
      (work, { body }) => createReset(work, origin, body.email),
    )
    api.read('/users', { answer: listOf(userAnswer) }, async () => ({ data: await listUsers(core) }))
    api.write({ method: 'DELETE', url: '/users/:id', action: 'user.delete' }, (work, { params }) =>
      deleteUser(work, params.id),
    )
    return Promise.resolve()
  }
