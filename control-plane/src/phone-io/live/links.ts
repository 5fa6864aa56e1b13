/** Implements `LiveService`: creates links to a phone's live view, including links of hand-overs. */
import { ApiError, hashSecret, newSecret } from '@phonerack/shared'
import { type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { createSecretLookup, type SecretLookup } from '../../base/db/secret-lookup.js'
import { handoffRequired } from '../../rental/phones/left-to-person.js'
import { phoneUnavailable, readyTarget } from '../../rental/phones/target.js'
import { type Prisma } from '../../gen/prisma/client.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { createWarmUps } from './warm-ups.js'
import { type Core } from '../../base/core/core.js'
import { type LiveService } from './types.js'

/** The page's path. The token follows `#`, so no server and no log receives it in a URL. */
export const pagePath = '/live'

/** @param baseUrl the public address, without a trailing slash */
export const urlOf = (baseUrl: string, token: string): string => `${baseUrl}${pagePath}#${token}`

const guardedControl =
  'The profile `guarded` creates only links that watch. Leave out `control`, or hand the phone over to a person.'

/** Stores a link and returns its token. Only the token's hash is stored. */
export async function addLink(
  db: Pick<Tx, 'liveLink'>,
  link: Omit<Prisma.LiveLinkUncheckedCreateInput, 'tokenHash'>,
): Promise<string> {
  const token = newSecret('live')
  await db.liveLink.create({ data: { ...link, tokenHash: hashSecret(token) } })
  return token
}

/** Looks up links for addresses that have failed too often: many callers share a query. */
export const createLinkLookup = (core: Core): SecretLookup =>
  createSecretLookup(async (hashes) => {
    const rows = await core.db.liveLink.findMany({
      where: { tokenHash: { in: hashes }, expiresAt: { gt: core.clock.now() } },
      select: { tokenHash: true },
    })
    return rows.map(({ tokenHash }) => tokenHash)
  })

/**
 * Counts the links that are still usable, under the project's lock, except for links of hand-overs.
 * @throws ApiError rate_limited
 */
async function checkRoom(
  core: Core,
  tx: Tx,
  { projectId, sessionId }: { projectId: string; sessionId: string },
): Promise<void> {
  await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
  // Other requests may have created links while this request waited for the lock.
  const now = core.clock.now()
  const [counted] = await tx.$queryRaw<
    { of_phone: bigint; of_project: bigint; first_end: Date | null }[]
  >`select
    count(*) filter (where s.id = ${sessionId}) as of_phone, count(*) as of_project, min(l.expires_at) as first_end
    from sessions s join live_links l on l.session_id = s.id join api_keys k on k.id = l.key_id
    where s.project_id = ${projectId} and s.ended_at is null
      and l.handoff_id is null and l.expires_at > ${now} and k.revoked_at is null`
  const { linksPerPhone, linksPerProject } = core.rules.live
  const isPhoneFull = Number(counted?.of_phone ?? 0n) >= linksPerPhone
  if (!isPhoneFull && Number(counted?.of_project ?? 0n) < linksPerProject) return
  const limit = isPhoneFull ? linksPerPhone : linksPerProject
  throw new ApiError('rate_limited', {
    message: `The ${isPhoneFull ? 'phone' : 'project'} already has ${limit} valid live links.`,
    next: 'Use an existing link, or wait until one expires. Parking a phone ends its links.',
    details: { limit },
    retryAfterSeconds: Math.max(1, ((counted?.first_end ?? now).getTime() - now.getTime()) / 1000),
  })
}

/** Limit of links to one phone for a sign-in in the console, for example in several tabs. */
const linksPerSignIn = 5

/** Ends the oldest links, so that a new link fits within the limit. */
const endOldest = (tx: Tx, userSessionId: string, phoneId: string) =>
  tx.$executeRaw`delete from live_links where token_hash in (
    select token_hash from live_links where user_session_id = ${userSessionId} and phone_id = ${phoneId}
    order by created_at desc offset ${linksPerSignIn - 1})`

export function createLiveService(
  core: Core,
  hosts: HostClients,
  baseUrl: string,
): LiveService & { close(): void } {
  const warmUps = createWarmUps(core.log)
  return {
    async createLink(caller, phoneId, { expiresIn, control = caller.profile !== 'guarded', userSessionId }) {
      const target = await readyTarget(core, hosts, caller, phoneId)
      // With the link, the holder of the key could control the screen without the profile's limits.
      if (control && caller.profile === 'guarded')
        throw handoffRequired(phoneId, { reason: 'live_control' }, guardedControl)
      const session = await core.db.session.findFirst({ where: { phoneId, endedAt: null } })
      // The session ended a moment ago; the next request gets the specific error.
      if (!session) throw phoneUnavailable(phoneId)
      const createdAt = core.clock.now()
      const expiresAt = new Date(createdAt.getTime() + expiresIn * 1000)
      const { projectId, keyId } = caller
      const creator = userSessionId === undefined ? { keyId } : { userSessionId }
      const link = { projectId, phoneId, sessionId: session.id, ...creator, control, createdAt, expiresAt }
      const token = await inTenantTransaction(core, caller, async (tx) => {
        if (userSessionId === undefined) await checkRoom(core, tx, link)
        else await endOldest(tx, userSessionId, phoneId)
        return addLink(tx, link)
      })
      // Most links are opened immediately.
      warmUps.begin(phoneId, target)
      return { url: urlOf(baseUrl, token), expiresAt }
    },
    close: () => warmUps.close(),
  }
}
