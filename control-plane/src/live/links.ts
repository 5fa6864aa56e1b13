/** `LiveService` of the wall: makes links to a phone's live view. Hand-overs make theirs here too. */
import { hashSecret, newSecret } from '@phonerack/shared'
import { type Tx } from '../db/database.js'
import { phoneUnavailable, readyTarget } from '../devices/target.js'
import { type Prisma } from '../gen/prisma/client.js'
import { type HostClients } from '../hosts/clients.js'
import { createWarmUps } from './warm-ups.js'
import { type Core } from '../phones/core.js'
import { type LiveService } from '../services.js'

/** Where the page is; the token follows behind `#`, so that no server and no log ever gets it in a URL. */
export const pagePath = '/live'

/** @param baseUrl the public address, without a slash at the end */
export const urlOf = (baseUrl: string, token: string): string => `${baseUrl}${pagePath}#${token}`

/** Stores a link and returns its token, of which only the hash is kept. */
export async function addLink(
  db: Pick<Tx, 'liveLink'>,
  link: Omit<Prisma.LiveLinkUncheckedCreateInput, 'tokenHash'>,
): Promise<string> {
  const token = newSecret('live')
  await db.liveLink.create({ data: { ...link, tokenHash: hashSecret(token) } })
  return token
}

export function createLiveService(
  core: Core,
  hosts: HostClients,
  baseUrl: string,
): LiveService & { close(): void } {
  const warmUps = createWarmUps(core.log)
  return {
    async createLink(caller, phoneId, { expiresIn, control }) {
      const target = await readyTarget(core, hosts, caller, phoneId)
      const session = await core.db.session.findFirst({ where: { phoneId, endedAt: null } })
      // It ended a moment ago: the next try is told how.
      if (!session) throw phoneUnavailable(phoneId)
      const createdAt = core.clock.now()
      const expiresAt = new Date(createdAt.getTime() + expiresIn * 1000)
      const token = await addLink(core.db, {
        ...{ projectId: caller.projectId, phoneId, sessionId: session.id, keyId: caller.keyId },
        ...{ control, createdAt, expiresAt },
      })
      // Most links are opened at once.
      warmUps.begin(phoneId, target)
      return { url: urlOf(baseUrl, token), expiresAt }
    },
    close: () => warmUps.close(),
  }
}
