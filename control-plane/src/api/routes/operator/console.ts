/** Routes of `/operator/v1` for the console: whether an operator can sign in, links for new ones, and all users. */
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
import { operatorApi } from './api.js'

const resetSchema = z.strictObject({ email: emailSchema })

export const consoleOperatorPlugin =
  (core: Core, { origin }: ConsoleConfig): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)
    api.read('/console', async () => ({
      url: `${origin}/console`,
      has_operator: (await core.db.user.count({ where: { isOperator: true } })) > 0,
    }))
    api.write({ method: 'POST', url: '/invitations', action: 'invitation.create', status: 201 }, (work) =>
      inviteOperator(work, origin),
    )
    api.read('/invitations', async () => ({ data: await listOperatorInvitations(core) }))
    api.write(
      { method: 'DELETE', url: '/invitations/:id', action: 'invitation.withdraw' },
      (work, { params }) => withdrawOperatorInvitation(work, params.id),
    )
    api.write(
      { method: 'POST', url: '/resets', action: 'password.reset_link', status: 201, body: resetSchema },
      (work, { body }) => createReset(work, origin, body.email),
    )
    api.read('/users', async () => ({ data: await listUsers(core) }))
    api.write({ method: 'DELETE', url: '/users/:id', action: 'user.delete' }, (work, { params }) =>
      deleteUser(work, params.id),
    )
    return Promise.resolve()
  }
