/** Reads the network of this host: the control plane and its clock, the broker, the listening port. */
import { createServer } from 'node:net'
import { connectionCheckPath, openBus, Progress, signAsHost } from '@phonerack/shared'
import { z } from 'zod'
import { explainFailure, httpRequest } from '../../base/http-request.js'
import { splitHostPort } from '../../base/host-port.js'
import { later } from '../../base/later.js'
import type { HostReadings, ListeningPort, Reading, WayBack } from './readings.js'

/** Milliseconds for one connection. */
const limit = 10_000

export async function readServer(url: string, roots: readonly string[]): Promise<HostReadings['server']> {
  const before = Date.now()
  try {
    const { signal } = Progress.for(limit)
    const answer = await httpRequest(new URL('/livez', url), { method: 'GET', roots, signal })
    const date = Date.parse(answer.headers.date ?? '')
    // The server set the date during the request, without fractions of a second.
    const uncertainMs = (Date.now() - before) / 2 + 500
    const aheadMs = before + uncertainMs - 500 - (date + 500)
    const certain = Math.abs(aheadMs) <= uncertainMs ? 0 : aheadMs
    return { value: { url, status: answer.status, aheadMs: Number.isNaN(date) ? null : certain } }
  } catch (error) {
    return { failed: `${url}: ${explainFailure(error).why}` }
  }
}

const checkedSchema = z.object({ address: z.string().nullable(), connected: z.boolean() })
const refusedSchema = z.object({ error: z.object({ message: z.string(), next: z.string().nullable() }) })

/** Asks the control plane to connect to this host's agent. */
export async function readWayBack(
  url: string,
  roots: readonly string[],
  identity: Parameters<typeof signAsHost>[0],
): Promise<NonNullable<WayBack>> {
  try {
    const { status, body } = await httpRequest(new URL(connectionCheckPath, url), {
      method: 'POST',
      roots,
      signal: Progress.for(limit).signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(signAsHost(identity, connectionCheckPath, new Date())),
    })
    if (status === 404)
      return { failed: 'the control plane is of an earlier release, which has no such check' }
    const answer: unknown = JSON.parse(body)
    if (status !== 200) {
      const { data } = refusedSchema.safeParse(answer)
      return { failed: data ? `${data.error.message} ${data.error.next ?? ''}`.trim() : `status ${status}` }
    }
    const { address, connected } = checkedSchema.parse(answer)
    return { value: { address, isConnected: connected } }
  } catch (error) {
    return { failed: explainFailure(error).why }
  }
}

interface BrokerAccess {
  url: string
  /** Text of a `.creds` file. */
  creds: string
  /** PEM texts. */
  authorities: readonly string[]
}

export async function readBroker(access: BrokerAccess): Promise<Reading<null>> {
  const settled = later<string | null>()
  const bus = await openBus({
    ...access,
    name: 'phonerack-agent doctor',
    waitMs: 0,
    onLost: (cause) => settled.resolve(explainFailure(cause).why),
  })
  try {
    bus.onReconnect(() => settled.resolve(null))
    if (bus.connected) settled.resolve(null)
    const why = await Progress.for(limit).race('connecting to NATS', () => settled.promise)
    return why === null ? { value: null } : { failed: `${hideUser(access.url)}: ${why}` }
  } catch (error) {
    return { failed: `${hideUser(access.url)}: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await bus.close()
  }
}

/** A URL may contain a password. */
const hideUser = (url: string): string => url.replace(/\/\/[^/@]*@/, '//')

/** @param isAgentRunning whether this host's agent runs, which then uses the port itself */
export async function readPort(listen: string, isAgentRunning: boolean): Promise<ListeningPort> {
  const { host, port } = splitHostPort(listen)
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
    return { listen, state: 'free', why: '' }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (why === 'EADDRINUSE') return { listen, state: isAgentRunning ? 'agent' : 'taken', why }
    return { listen, state: why === 'EADDRNOTAVAIL' ? 'foreign' : 'failed', why }
  } finally {
    server.close()
  }
}
