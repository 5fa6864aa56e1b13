/**
 * Accounts without an invitation, if the operator allows them. Each account gets a first project. docs/decisions/0290
 */
import { ApiError, formatUsd, hashSecret } from '@phonerack/shared'
import { type SignUpConfig } from '../../base/config/sign-in.js'
import { type Core } from '../../base/core/core.js'
import { networkOf } from '../../base/failure-limit/network.js'
import { addAudit } from '../../base/audit/audit.js'
import { createProject } from '../../fleet/operator/projects.js'
import { actingAs, type Origin, type Work } from '../../base/audit/work.js'
import { countAttemptFrom } from './attempts.js'
import { addInvitation } from './invitations.js'
import { haveAccountMail, signUpMail, type Mailer } from './mail.js'
import { mailLinkMs } from './passwords.js'
import { type User } from './types.js'

/** Limits the accounts that an address creates, since each account may bring credit. */
const perAddress = { max: 20, maxOfSite: 100, window: 86_400 }

export function maySignUp({ who, domains }: SignUpConfig, email: string): boolean {
  if (who === 'domain') return domains.includes(email.slice(email.lastIndexOf('@') + 1))
  return who === 'open'
}

/** @throws ApiError invalid_request, which does not reveal whether an account exists */
export function checkSignUp(signUp: SignUpConfig, email: string): void {
  if (maySignUp(signUp, email)) return
  throw new ApiError('invalid_request', {
    message:
      signUp.who === 'domain'
        ? 'Only addresses of the organisation that runs this service can have an account.'
        : 'You need an invitation to create an account.',
    next: 'Ask the owner of a project for an invitation.',
    details: { reason: 'no_sign_up' },
  })
}

/** Counts a new account. @throws ApiError rate_limited */
export async function limitNewAccounts({ db }: Pick<Core, 'db'>, { address }: Origin): Promise<void> {
  const seconds = await countAttemptFrom(db, 'new account', networkOf(address), perAddress)
  if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
}

/** Sends a link. Only the mail reveals whether there is an account with this address. */
export async function requestSignUp(
  core: Core,
  mailer: Mailer,
  consoleOrigin: string,
  email: string,
): Promise<void> {
  if ((await core.db.user.count({ where: { email } })) > 0)
    return mailer.send(haveAccountMail(email, `${consoleOrigin}/console/sign-in`))
  const { result } = await addInvitation(
    { tx: core.db, now: core.clock.now() },
    consoleOrigin,
    { projectId: null, role: 'sign_up', email, isMailed: true, createdBy: '' },
    mailLinkMs,
  )
  await mailer.send(signUpMail(email, result.url))
}

/** Returns the credit of a new account: 0 if the address already got credit for an account that was deleted. */
async function creditOf(
  { tx, now }: Work<Origin>,
  { creditMicros }: SignUpConfig,
  email: string,
): Promise<bigint> {
  if (creditMicros === 0n) return 0n
  const data = [{ emailHash: hashSecret(email), createdAt: now }]
  const { count } = await tx.signUpCredit.createMany({ data, skipDuplicates: true })
  return count === 0 ? 0n : creditMicros
}

/**
 * Adds the first project of a new user, and the audit entries. @param by `mail`, or the key of an identity provider
 */
export async function finishSignUp(
  work: Work<Origin>,
  signUp: SignUpConfig,
  user: Pick<User, 'id' | 'email'>,
  by: string,
): Promise<void> {
  const ofUser = actingAs(work, user.id, user.email)
  const credit_usd = formatUsd(await creditOf(work, signUp, user.email))
  const change = await createProject(work, { name: 'First project', credit_usd })
  const projectId = change.result.id
  await work.tx.member.create({ data: { projectId, userId: user.id, role: 'owner', createdAt: work.now } })
  const after = { email: user.email, by, project: projectId, credit_usd }
  await addAudit(ofUser, 'user.sign_up', { target: user.id, before: null, after })
  await addAudit(ofUser, 'project.create', change)
}
