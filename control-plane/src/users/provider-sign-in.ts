/** Signs a person in whom an identity provider knows. An account is never found by its address. docs/decisions/0290 */
import { ApiError } from '@phonerack/shared'
import { type SignUpConfig } from '../config/sign-in.js'
import { type Core } from '../core/core.js'
import { onBehalf, type Origin } from '../operator/work.js'
import { nameSchema } from '../validation/fields.js'
import { acceptAsNewUser } from './accept.js'
import { notVerified, userOfAccount } from './accounts.js'
import { emailSchema } from './invitations.js'
import { addUser } from './new-user.js'
import { type Identity, type Provider } from './providers/types.js'
import { checkSignUp, finishSignUp, limitNewAccounts } from './sign-up.js'

export interface Arrival {
  provider: Provider
  identity: Identity
  /** The token of the link that the person opened before; null: none. */
  invitation: string | null
}

export interface SignedInBy {
  userId: string
  isNew: boolean
}

/** Returns the user, who may be new. @throws ApiError invalid_request, not_found, rate_limited */
export async function signInByProvider(
  core: Core,
  signUp: SignUpConfig,
  from: Origin,
  { provider, identity, invitation }: Arrival,
): Promise<SignedInBy> {
  const known = await userOfAccount(core, provider, identity)
  if (known !== null) return { userId: known, isNew: false }
  const parsed = emailSchema.safeParse(identity.email)
  if (!identity.isVerified || !parsed.success) throw notVerified(provider)
  const email = parsed.data
  const account = { provider: provider.key, subject: identity.subject }
  const name = nameSchema.safeParse(identity.name).data ?? email.slice(0, 80)
  if (invitation !== null) {
    const input = { name, email }
    const credential = () => Promise.resolve({ account })
    return { userId: await acceptAsNewUser(core, signUp, from, invitation, input, credential), isNew: true }
  }
  // Before the policy: a person with an account needs no other one.
  if ((await core.db.user.count({ where: { email } })) > 0) throw notLinked(provider)
  checkSignUp(signUp, email)
  await limitNewAccounts(core, from)
  return onBehalf(core, from, async (work) => {
    const userId = await addUser(work, { name, email, isVerified: true, credential: { account } })
    await finishSignUp(work, signUp, { id: userId, email }, provider.key)
    return { userId, isNew: true }
  })
}

/** Only the owner of the address at the provider reads it. */
const notLinked = ({ name }: Provider): ApiError =>
  new ApiError('invalid_request', {
    message: `Your account does not use ${name} yet.`,
    next: `Sign in as you did before, then add ${name} under "Your account".`,
    details: { reason: 'not_linked' },
  })
