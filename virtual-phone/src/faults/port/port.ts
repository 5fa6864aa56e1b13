/**
 * The fault port: gives tests of other processes access to `phone.faults` over HTTP on 127.0.0.1. Off unless
 * `main.js --fault-port` enables it; each request needs the token. Paths and bodies: this package's README.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Phone } from '../../phone.js'
import { FaultError } from '../faults.js'
import { calls } from './calls.js'

interface FaultPortOptions {
  /** 0 selects a free port. */
  port: number
  token: string
  /** Read again for each request. */
  phones: readonly Phone[]
  onFault: (error: unknown, what: string) => void
}

export interface FaultPort {
  readonly port: number
  close(): Promise<void>
}

const maxBodyBytes = 65_536

/** The errors that are sent to the client; any other error is a bug. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** @throws when the port is in use */
export async function startFaultPort(options: FaultPortOptions): Promise<FaultPort> {
  const expected = digest(`Bearer ${options.token}`)
  const server = createServer((request, response) => {
    const allowed = timingSafeEqual(digest(request.headers.authorization ?? ''), expected)
    const answered = allowed
      ? answer(options, request)
      : Promise.resolve({ status: 401, body: { error: 'wrong or missing token' } })
    answered
      .then(({ status, body }) => {
        send(response, status, body)
      })
      .catch((error: unknown) => {
        options.onFault(error, 'fault port')
        send(response, 500, { error: String(error) })
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The fault port has no port')
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/** Returns a digest, so that the compared values have equal lengths for a constant-time comparison. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

interface Answer {
  status: number
  body: unknown
}

async function answer({ phones }: FaultPortOptions, request: IncomingMessage): Promise<Answer> {
  try {
    return { status: 200, body: await route(phones, request) }
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, body: { error: error.message } }
    if (error instanceof FaultError) return { status: 409, body: { error: error.message } }
    if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } }
    throw error
  }
}

async function route(phones: readonly Phone[], request: IncomingMessage): Promise<unknown> {
  const [, first, name, what, fault, ...rest] = (request.url ?? '').split('/')
  const method = request.method ?? ''
  if (first === 'phones' && name === undefined && method === 'GET') return { phones: phones.map(describe) }
  if (first !== 'phones' || name === undefined || rest.length > 0) throw notFound(request)
  const phone = phones.find((each) => String(each.port) === name || each.serial === name)
  if (phone === undefined) throw new Refused(404, `no phone ${name}`)
  if (what === 'faults' && fault === undefined && method === 'DELETE') {
    await phone.faults.heal()
    return {}
  }
  if (what === 'faults' && fault !== undefined && method === 'POST') {
    const call = Object.hasOwn(calls, fault) ? calls[fault] : undefined
    if (call === undefined) throw new Refused(404, `no fault ${fault}`)
    return call(phone.faults, await readJson(request))
  }
  if (what === 'counters' && fault === undefined && method === 'GET') return phone.counters()
  if (what === 'state' && fault === undefined && method === 'GET') return phone.state()
  throw notFound(request)
}

function describe({ port, serial, without }: Phone): { port: number; serial: string; without: string[] } {
  return { port, serial, without: [...without] }
}

const notFound = ({ method, url }: IncomingMessage): Refused =>
  new Refused(404, `no ${method ?? ''} ${url ?? ''}`)

/** Reads the body; `{}` without a body. @throws Refused for invalid JSON, or for a body that is too large */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Refused(413, 'the body is too large')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refused(400, 'the body is no JSON')
    throw error
  }
}
