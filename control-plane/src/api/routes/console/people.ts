/** Invitations, members, and the sign-in methods of a user. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressOf } from '../../../base/failure-limit/network.js'
import { acceptAsNewUser, acceptAsUser } from '../../../people/users/accept.js'
import { countAttempt, type AttemptLimit } from '../../../people/users/attempts.js'
import { beginPasskey, checkPasskey, passkeySchema } from '../../../people/users/first-passkey.js'
import {
  emailSchema,
  inviteMember,
  listInvitations,
  lookAtInvitation,
  withdrawInvitation,
} from '../../../people/users/invitations.js'
import { hashPassword } from '../../../people/users/load-auth.js'
import { invitationMail, type Mail, type Mailer } from '../../../people/users/mail.js'
import { changeRole, listMembers, removeMember } from '../../../people/users/members.js'
import { listPasskeys, listSessions, removePasskey, revokeSession } from '../../../people/users/sessions.js'
import { roles } from '../../../people/users/types.js'
import { nameSchema } from '../../../base/validation/fields.js'
import { beginSession } from './begin-session.js'
import { actorOf, clientOf, projectOf, signedInOf, type GateDeps } from './gate.js'
import { passwordSchema } from './passwords.js'
import {
  membersAnswer,
  newInvitationAnswer,
  openInvitationAnswer,
  passkeyAnswer,
  passkeyRowAnswer,
  signInAnswer,
} from './answers.js'
import { listOf } from '../shape.js'
import { route } from './route.js'

const lookBody = z.strictObject({ token: z.string().max(100) })
const person = { name: nameSchema, email: emailSchema }
const passkeyBody = z.strictObject({ token: z.string().max(100), user: z.strictObject(person) })
const acceptBody = z.strictObject({
  token: z.string().max(100),
  /** If omitted, the signed-in user accepts the invitation. */
  user: z
    .strictObject({ ...person, password: passwordSchema.optional(), passkey: passkeySchema.optional() })
    .refine(
      ({ password, passkey }) => (password === undefined) !== (passkey === undefined),
      'must have either `password` or `passkey`',
    )
    .optional(),
})
const inviteBody = z.strictObject({ email: emailSchema, role: z.enum(roles) })
const roleBody = z.strictObject({ role: z.enum(roles) })

/** Limits the links that an address may try. */
const perAddress = { max: 60, window: 60 }
/** Limits the invitations of a user, and the mails that one address gets from one project. */
const perInviter = { max: 60, window: 3600 }
const perInvited = { max: 3, window: 3600 }
/** Counts mails of all projects, and is high enough that others can rarely keep a project from inviting an address. */
const perInvitedOfAll = { max: 30, window: 3600 }

export function addPeople(app: FastifyInstance, deps: GateDeps): void {
  addInvitations(app, deps)
  addMembers(app, deps)
  addOwn(app, deps)
}

/** Deletes the invitation if its mail cannot be sent. @throws ApiError service_unavailable */
async function sendInvitation(
  request: FastifyRequest,
  { core, mailer }: { core: GateDeps['core']; mailer: Mailer },
  { id, mail }: { id: string; mail: Mail },
): Promise<void> {
  try {
    await mailer.send(mail)
  } catch (error) {
    request.log.error({ err: error }, 'could not send an invitation')
    await withdrawInvitation(core, actorOf(request), projectOf(request).id, id)
    throw new ApiError('service_unavailable', {
      message: 'The mail could not be sent, so there is no invitation.',
      cause: error,
      next: 'Try again later, or ask an operator to check PHONERACK_SMTP_URL.',
    })
  }
}

function addInvitations(app: FastifyInstance, deps: GateDeps): void {
  const { core, config, mailer, signUp } = deps
  const count = async (subject: string, limit: AttemptLimit): Promise<void> => {
    const seconds = await countAttempt(core.db, subject, limit)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
  }
  const limit = (request: FastifyRequest): Promise<void> =>
    count(`invitation ${clientOf(request)}`, perAddress)

  route(
    app,
    'POST /invitations/look',
    { body: lookBody, answer: openInvitationAnswer, preHandler: limit },
    async (request) => {
      return lookAtInvitation(core, request.body.token)
    },
  )
  route(
    app,
    'POST /invitations/passkey',
    { body: passkeyBody, answer: passkeyAnswer, preHandler: limit },
    async (request) => {
      const { token, user } = request.body
      return beginPasskey(core, config.passkeys, token, user)
    },
  )
  route(app, 'POST /invitations/accept', { body: acceptBody, preHandler: limit }, async (request, reply) => {
    const { token, user } = request.body
    const from = { address: addressOf(request), requestId: request.id }
    if (user) {
      const { password, passkey } = user
      const id = await acceptAsNewUser(core, signUp, from, token, user, async () =>
        passkey === undefined
          ? { passwordHash: await hashPassword(password ?? '') }
          : { passkey: await checkPasskey(core, config.passkeys, token, passkey) },
      )
      await beginSession(request, reply, deps, id)
      return { ok: true }
    }
    const signedIn = request.person?.signedIn
    if (!signedIn)
      throw new ApiError('unauthorized', {
        message: 'You are not signed in.',
        next: 'Sign in.',
        details: { reason: 'signed_out' },
      })
    await acceptAsUser(core, from, token, signedIn.user)
    return { ok: true }
  })

  route(
    app,
    'POST /projects/:project/invitations',
    { body: inviteBody, answer: newInvitationAnswer, status: 201 },
    async (request) => {
      const input = request.body
      const project = projectOf(request)
      await count(`invitations by ${signedInOf(request).user.id}`, perInviter)
      const isMailed = mailer !== null
      if (isMailed) {
        await count(`invitation mail ${input.email} of ${project.id}`, perInvited)
        await count(`invitation mail ${input.email}`, perInvitedOfAll)
      }
      const made = await inviteMember(core, actorOf(request), config.linkOrigin, {
        projectId: project.id,
        ...input,
        isMailed,
      })
      if (mailer === null) return { ...made, is_mailed: false }
      const by = signedInOf(request).user.name
      const mail = invitationMail(input.email, project.name, by, made.url)
      await sendInvitation(request, { core, mailer }, { id: made.id, mail })
      // The holder of the link can create the account, so only the recipient of the mail gets the link.
      return { ...made, url: null, is_mailed: true }
    },
  )
  route(app, 'DELETE /projects/:project/invitations/:invitation', {}, (request) =>
    withdrawInvitation(core, actorOf(request), projectOf(request).id, request.params.invitation),
  )
}

function addMembers(app: FastifyInstance, { core }: GateDeps): void {
  route(app, 'GET /projects/:project/members', { answer: membersAnswer }, async (request) => {
    const { id, role } = projectOf(request)
    const invitations = role === 'owner' ? await listInvitations(core, id) : []
    return { data: await listMembers(core, id), invitations }
  })
  route(app, 'PATCH /projects/:project/members/:user', { body: roleBody }, (request) => {
    const { role } = request.body
    return changeRole(core, actorOf(request), projectOf(request).id, request.params.user, role)
  })
  route(app, 'DELETE /projects/:project/members/:user', {}, (request) =>
    removeMember(core, actorOf(request), projectOf(request).id, request.params.user),
  )
}

function addOwn(app: FastifyInstance, { core }: GateDeps): void {
  route(app, 'GET /me/sessions', { answer: listOf(signInAnswer) }, async (request) => {
    const { user, sessionId } = signedInOf(request)
    return { data: await listSessions(core, user.id, sessionId) }
  })
  route(app, 'DELETE /me/sessions/:session', {}, (request) =>
    revokeSession(core, actorOf(request), request.params.session),
  )
  route(app, 'GET /me/passkeys', { answer: listOf(passkeyRowAnswer) }, async (request) => ({
    data: await listPasskeys(core, signedInOf(request).user.id),
  }))
  route(app, 'DELETE /me/passkeys/:passkey', {}, (request) =>
    removePasskey(core, actorOf(request), request.params.passkey),
  )
}
