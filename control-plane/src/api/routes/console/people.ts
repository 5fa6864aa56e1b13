/** Invitations, members, and a user's own sign-ins. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressOf } from '../../../base/failure-limit/network.js'
import { parseBody } from '../../http/parse-body.js'
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
import { actorOf, apiPath, clientOf, projectOf, signedInOf, type GateDeps } from './gate.js'
import { passwordSchema } from './passwords.js'

const lookBody = z.strictObject({ token: z.string().max(100) })
const person = { name: nameSchema, email: emailSchema }
const passkeyBody = z.strictObject({ token: z.string().max(100), user: z.strictObject(person) })
const acceptBody = z.strictObject({
  token: z.string().max(100),
  /** Left out: the user who is signed in accepts it. */
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

/** Links that an address may try. */
const perAddress = { max: 60, window: 60 }
/** Invitations that a user may make, and mails that one address gets by them from all projects. */
const perInviter = { max: 60, window: 3600 }
const perInvited = { max: 3, window: 3600 }
/** From all projects, so that others can rarely keep a project from inviting an address. */
const perInvitedOfAll = { max: 30, window: 3600 }

export function addPeople(app: FastifyInstance, deps: GateDeps): void {
  addInvitations(app, deps)
  addMembers(app, deps)
  addOwn(app, deps)
}

/** Takes the invitation back when its mail cannot be sent. @throws ApiError service_unavailable */
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

  app.post(`${apiPath}/invitations/look`, async (request) => {
    await limit(request)
    return lookAtInvitation(core, parseBody(lookBody, request).token)
  })
  app.post(`${apiPath}/invitations/passkey`, async (request) => {
    await limit(request)
    const { token, user } = parseBody(passkeyBody, request)
    return beginPasskey(core, config.passkeys, token, user)
  })
  app.post(`${apiPath}/invitations/accept`, async (request, reply) => {
    await limit(request)
    const { token, user } = parseBody(acceptBody, request)
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

  app.post(`${apiPath}/projects/:project/invitations`, async (request, reply) => {
    const input = parseBody(inviteBody, request)
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
    if (mailer === null) return reply.code(201).send({ ...made, is_mailed: false })
    const by = signedInOf(request).user.name
    const mail = invitationMail(input.email, project.name, by, made.url)
    await sendInvitation(request, { core, mailer }, { id: made.id, mail })
    // The holder of the link can create the account, so only the reader of the mail gets it.
    return reply.code(201).send({ ...made, url: null, is_mailed: true })
  })
  app.delete<{ Params: { invitation: string } }>(
    `${apiPath}/projects/:project/invitations/:invitation`,
    (request) => withdrawInvitation(core, actorOf(request), projectOf(request).id, request.params.invitation),
  )
}

type OfUser = { Params: { user: string } }

function addMembers(app: FastifyInstance, { core }: GateDeps): void {
  app.get(`${apiPath}/projects/:project/members`, async (request) => {
    const { id, role } = projectOf(request)
    const invitations = role === 'owner' ? await listInvitations(core, id) : []
    return { data: await listMembers(core, id), invitations }
  })
  app.patch<OfUser>(`${apiPath}/projects/:project/members/:user`, (request) => {
    const { role } = parseBody(roleBody, request)
    return changeRole(core, actorOf(request), projectOf(request).id, request.params.user, role)
  })
  app.delete<OfUser>(`${apiPath}/projects/:project/members/:user`, (request) =>
    removeMember(core, actorOf(request), projectOf(request).id, request.params.user),
  )
}

function addOwn(app: FastifyInstance, { core }: GateDeps): void {
  app.get(`${apiPath}/me/sessions`, async (request) => {
    const { user, sessionId } = signedInOf(request)
    return { data: await listSessions(core, user.id, sessionId) }
  })
  app.delete<{ Params: { session: string } }>(`${apiPath}/me/sessions/:session`, (request) =>
    revokeSession(core, actorOf(request), request.params.session),
  )
  app.get(`${apiPath}/me/passkeys`, async (request) => ({
    data: await listPasskeys(core, signedInOf(request).user.id),
  }))
  app.delete<{ Params: { passkey: string } }>(`${apiPath}/me/passkeys/:passkey`, (request) =>
    removePasskey(core, actorOf(request), request.params.passkey),
  )
}
