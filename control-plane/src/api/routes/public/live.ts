/**
 * `/live`: the page on which a person sees and controls a phone, and its WebSocket. Outside `/v1` and without a key:
 * only the link's token grants access. The first message of the socket carries the token, so no URL contains it.
 */
import { hashSecret, keyChangedSchema, limits, newId, subjects } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { type IncomingMessage } from 'node:http'
import { type Duplex } from 'node:stream'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { type FailureLimit } from '../../../base/failure-limit/failure-limit.js'
import { acceptUpgrades } from '../../http/upgrades.js'
import { readAssets } from '../../../phone-io/live/assets.js'
import { readPageMessage } from '../../../phone-io/live/input.js'
import { createLinkLookup, pagePath } from '../../../phone-io/live/links.js'
import {
  closings,
  earlierProtocol,
  protocol,
  type Closing,
  type PageMessage,
} from '../../../phone-io/live/page/wire.js'
import { keepPulse } from '../../../phone-io/live/pulse.js'
import { readLink, standingOf, type LinkRow } from '../../../phone-io/live/standing.js'
import { Viewer, type ViewerParts } from '../../../phone-io/live/viewer.js'
import { createWaitingRoom } from '../../../phone-io/live/waiting-room.js'
import { viewerCame, viewerLeft } from '../../../base/metrics/instruments.js'
import { type PhoneService } from '../../../rental/phones/types.js'
import { isStepInput } from '../../../phone-io/steps/gestures.js'
import { type LiveSteps } from '../../../phone-io/steps/live-steps.js'

const socketPath = `${pagePath}/socket`
/** Milliseconds in which a socket must present its token. */
const openWithinMs = 10_000
/** Milliseconds between pings. On a slow line, the video before a ping delays its answer; see `Viewer.isSilent` for pages in sight. */
const pingEveryMs = 20_000
/** Milliseconds that sockets get to close when the server stops. */
const stopGraceMs = 500
/** 10,000 characters of text, escaped as JSON. */
const maxPageBytes = 128 * 1024

interface LiveParts extends Omit<ViewerParts, 'onInput' | 'onActivity'> {
  phones: PhoneService
  /** Records the input of people as steps. */
  steps: LiveSteps
  failureLimit: FailureLimit
  /** The public address, whose origin a socket must have. */
  baseUrl: string
  /** Origins of the console, whose page of a phone contains the live view. */
  frameOrigins: readonly string[]
}

export const livePlugin =
  ({ core, hosts, phones, steps, failureLimit, baseUrl, frameOrigins }: LiveParts): FastifyPluginAsync =>
  (app) => {
    const { origin, host, protocol: scheme } = new URL(baseUrl)
    const assets = readAssets(pagePath)
    const common = {
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    }
    const socketOrigin = `${scheme === 'https:' ? 'wss' : 'ws'}://${host}`
    const pageHeaders = {
      ...common,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        `default-src 'none'; script-src 'self' ${assets.scriptHash}; style-src 'self'; img-src 'self'; media-src blob:; ` +
        `connect-src 'self' ${socketOrigin}; base-uri 'none'; form-action 'none'; frame-ancestors ${frameOrigins.join(' ')}; ` +
        "require-trusted-types-for 'script'",
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy':
        'camera=(), microphone=(), geolocation=(), clipboard-read=(self), fullscreen=(self)',
    }
    const hidden = { schema: { hide: true } }
    app.get(pagePath, hidden, (_request, reply) =>
      reply.headers(pageHeaders).serializer(String).send(assets.html),
    )
    for (const [name, { type, content }] of assets.files)
      app.get(`${pagePath}/${assets.version}/${name}`, hidden, (_request, reply) =>
        reply
          .headers({ ...common, 'cache-control': 'public, max-age=31536000, immutable' })
          .type(type)
          .send(content),
      )

    const sockets = new WebSocketServer({
      noServer: true,
      maxPayload: maxPageBytes,
      perMessageDeflate: false,
      handleProtocols: (offered) =>
        [protocol, earlierProtocol].find((accepted) => offered.has(accepted)) ?? false,
    })
    const viewers = new Set<Viewer>()
    const waiting = createWaitingRoom<WebSocket>((socket) => {
      socket.close(closings.limited.code, closings.limited.reason)
      // The page may never complete the close handshake.
      socket.terminate()
    })
    const links = createLinkLookup(core)

    /**
     * Returns the reason to refuse another view; null if there is room. A single user or key cannot use up the views of
     * others.
     */
    const fullFor = ({ phoneId, creatorId, keyHash }: LinkRow): Closing | null => {
      const ofPhone = [...viewers].filter(({ link }) => link.phoneId === phoneId)
      const own = ofPhone.filter(({ link }) => link.creatorId === creatorId).length
      if (keyHash === null && own >= limits.live.watchersPerUser) return closings.tooManyOfUser
      return ofPhone.length >= limits.live.watchers || own >= limits.live.watchersPerKey
        ? closings.tooMany
        : null
    }

    /** Counts as a request of the key or user that created the link. */
    const onActivity = async (link: LinkRow): Promise<void> => {
      const caller = {
        keyId: link.creatorId,
        keyHash: link.keyHash ?? '',
        projectId: link.projectId,
        preset: 'agent',
        profile: 'full',
        scopes: [],
        phoneIds: null,
      } as const
      await phones.touch(caller, link.phoneId).catch((error: unknown) => {
        core.log.warn({ err: error, phone: link.phoneId }, 'could not record activity')
      })
    }
    const onInput = (link: LinkRow, message: PageMessage): void => {
      // A step names the key of its link, and links of console users have no key.
      if (isStepInput(message) && link.keyHash !== null)
        steps.input({ projectId: link.projectId, phoneId: link.phoneId, keyId: link.creatorId }, message)
      void onActivity(link)
    }

    /** Checks the token and starts the view. Returns null when the socket closed during the check. */
    const open = async (
      socket: WebSocket,
      network: string,
      token: string,
    ): Promise<Viewer | Closing | null> => {
      const tokenHash = hashSecret(token)
      if (failureLimit.isLimited(network) && !(await links.has(tokenHash))) return closings.limited
      // The owner is known only after the read, so the gate counts by network.
      const link = await core.ownerGate.run(network, () => readLink(core.db, tokenHash, core.clock.now()))
      links.remember(tokenHash, link !== null)
      if (!link) failureLimit.failed(network)
      if (socket.readyState !== socket.OPEN) return null
      if (!link) return closings.unknown
      const standing = standingOf(link, core.clock.now(), core.rules)
      if ('closing' in standing) return standing.closing
      const full = fullFor(link)
      if (full) return full
      const requestId = newId('request')
      core.log.info(
        { request_id: requestId, phone: link.phoneId, control: link.control },
        'a live view started',
      )
      const parts = { core, hosts, onInput, onActivity }
      const viewer = new Viewer(socket, tokenHash, link, standing.place, parts, requestId)
      viewers.add(viewer)
      viewerCame()
      socket.once('close', (code) => {
        viewers.delete(viewer)
        viewerLeft()
        core.log.info({ request_id: requestId, phone: link.phoneId, code }, 'a live view ended')
      })
      return viewer
    }

    const serve = (socket: WebSocket, request: IncomingMessage): void => {
      const network = failureLimit.networkOf(request)
      let state: 'waiting' | 'opening' | Viewer = 'waiting'
      const close = ({ code, reason }: Closing): void => socket.close(code, reason)
      const late = setTimeout(() => {
        failureLimit.failed(network)
        close(closings.badMessage)
      }, openWithinMs)
      const leave = waiting.enter(network, socket)
      keepPulse(socket, pingEveryMs)
      socket.on('error', (error) => core.log.debug({ err: error }, 'a live view failed'))
      socket.once('close', () => {
        clearTimeout(late)
        leave()
      })
      socket.on('message', (data: RawData, isBinary) => {
        const bytes = Buffer.isBuffer(data) && !isBinary ? data : Buffer.alloc(0)
        const message = readPageMessage(bytes.toString('utf8'))
        if (!message) return close(closings.badMessage)
        if (state instanceof Viewer) return state.onMessage(message, bytes.length)
        if (state === 'opening' || message.type !== 'open') return close(closings.badMessage)
        state = 'opening'
        clearTimeout(late)
        leave()
        open(socket, network, message.token).then(
          (outcome) => {
            if (outcome instanceof Viewer) state = outcome
            else if (outcome) close(outcome)
          },
          (error: unknown) => {
            core.log.warn({ err: error }, 'could not read a live link')
            close(closings.away)
          },
        )
      })
    }

    const refuse = (socket: Duplex, statusLine: string): void => {
      socket.end(`HTTP/1.1 ${statusLine}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }

    const takeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): boolean => {
      const path = request.url?.split('?', 1)[0]
      if (path !== socketPath || request.headers.upgrade?.toLowerCase() !== 'websocket') return false
      socket.on('error', () => socket.destroy())
      if (request.headers.origin !== origin) refuse(socket, '403 Forbidden')
      else sockets.handleUpgrade(request, socket, head, serve)
      return true
    }
    acceptUpgrades(app.server, takeUpgrade, (error) =>
      core.log.error({ err: error }, 'a connection upgrade failed'),
    )

    const keys = core.bus.subscribe(subjects.keyChanged, (message) => {
      const hash = keyChangedSchema.safeParse(message).data?.key_hash
      for (const viewer of viewers) if (hash !== undefined && viewer.link.keyHash === hash) viewer.lookNow()
    })

    app.addHook('preClose', (done) => {
      keys.unsubscribe()
      links.close()
      for (const socket of sockets.clients) socket.close(closings.stopping.code, closings.stopping.reason)
      const forced = setTimeout(() => sockets.clients.forEach((socket) => socket.terminate()), stopGraceMs)
      sockets.close(() => clearTimeout(forced))
      done()
    })
    return Promise.resolve()
  }
