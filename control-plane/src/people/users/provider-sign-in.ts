/**
 * Signs in a person whom an identity provider has authenticated. An account is never found by its address.
 * docs/decisions/0290
 */
import { ApiError } from '@phonerack/shared'
import { type SignUpConfig } from '../../base/config/sign-in.js'
import { type Core } from '../../base/core/core.js'
import { inAuditedTransaction, type Origin } from '../../base/audit/work.js'
import { nameSchema } from '../../base/validation/fields.js'
import { acceptAsNewUser } from './accept.js'
import { notVerified, userOfAccount } from './accounts.js'
import { emailSchema } from './invitations.js'
import { addUser, isReplaceable } from './new-user.js'
import { type Identity, type Provider } from './providers/types.js'
import { checkSignUp, finishSignUp, limitNewAccounts } from './sign-up.js'

export interface Arrival {
  provider: Provider
  identity: Identity
  /** The token of a link that the person opened earlier; null if there is none. */
  invitation: string | null
  /** The person states that the account with their address belongs to another person. */
  replaces: boolean
}

interface SignedInBy {
  userId: string
  isNew: boolean
}

/** Returns the user, who may be new. @throws ApiError invalid_request, not_found, rate_limited */
export async function signInByProvider(
  core: Core,
  signUp: SignUpConfig,
  from: Origin,
  { provider, identity, invitation, replaces: isAsked }: Arrival,
): Promise<SignedInBy> {
  const known = await userOfAccount(core, provider, identity)
  if (known !== null) return { userId: known, isNew: false }
  const parsed = emailSchema.safeParse(identity.email)
  if (!identity.isVerified || !parsed.success) throw notVerified(provider)
  const email = parsed.data
  const account = { provider: provider.key, subject: identity.subject }
  const name = nameSchema.safeParse(identity.name).data ?? email.slice(0, 80)
  const holder = await core.db.user.findUnique({ where: { email } })
  const canReplace = holder !== null && identity.isAuthority && isReplaceable(holder)
  const replaces = isAsked && canReplace
  if (invitation !== null) {
    const input = { name, email, replaces }
    const credential = () => Promise.resolve({ account })
    return { userId: await acceptAsNewUser(core, signUp, from, invitation, input, credential), isNew: true }
  }
  // This check precedes the sign-up policy, since a person with an account needs no other account.
  if (holder !== null && !replaces) throw notLinked(provider, canReplace)
  checkSignUp(signUp, email)
  if (signUp.who === 'domain' && !identity.isAuthority) throw needsMail(provider)
  await limitNewAccounts(core, from)
  return inAuditedTransaction(core, from, async (work) => {
    const userId = await addUser(work, { name, email, isVerified: true, credential: { account }, replaces })
    await finishSignUp(work, signUp, { id: userId, email }, provider.key)
    return { userId, isNew: true }
  })
}

/**
 * The provider's verification does not suffice: a former member of an organisation keeps the address at the provider.
 */
const needsMail = ({ name }: Pick<Provider, 'name'>): ApiError =>
  new ApiError('invalid_request', {
    message: `${name} has verified your address once, which does not prove that it is yours today.`,
    next: `Create the account by mail, then add ${name} under "Your account".`,
    details: { reason: 'needs_mail' },
  })

/** This error reveals an account, but only to the owner of the address at the provider. */
const notLinked = ({ name }: Provider, canReplace: boolean): ApiError =>
  new ApiError('invalid_request', {
    message: `Your account does not use ${name} yet.`,
    next: `Sign in as you did before, then add ${name} under "Your account".`,
    details: { reason: 'not_linked', can_replace: canReplace },
  })
