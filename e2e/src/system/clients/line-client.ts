/** Programs with the SDKs: each line of stdin is a call, and each line of stdout is an outcome. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { z } from 'zod'
import { root } from '../system.js'
import {
  environmentOf,
  envelopeSchema,
  failureOf,
  restLine,
  type ClientKind,
  type ClientProcess,
  type ClientSettings,
  type Outcome,
} from './client.js'

const outcomeSchema = z.object({
  phone: z.string().nullable().default(null),
  error: envelopeSchema.extend({ unknown: z.boolean() }).nullable().default(null),
})

interface Program {
  command: string
  args: readonly string[]
  env?: Record<string, string>
}

const here = (name: string): string => path.join(root, 'e2e', 'src', 'system', 'clients', name)

/** @param maxRetries of the SDK; omitted: its default */
export const typescriptClient = (maxRetries?: number): ClientKind =>
  kindOf('the TypeScript SDK', {
    command: process.execPath,
    args: [here('typescript-client.mjs'), ...(maxRetries === undefined ? [] : [String(maxRetries)])],
  })

/** The interpreter for which the checks of the Python SDK install its packages. */
const python = process.env['PYTHON'] ?? '/usr/bin/python3'

/** Whether the Python SDK can run. */
export const hasHttpx = (): Promise<boolean> =>
  promisify(execFile)(python, ['-c', 'import httpx']).then(
    () => true,
    () => false,
  )

/** @param maxRetries of the SDK; omitted: its default */
export const pythonClient = (kind: 'sync' | 'async', maxRetries?: number): ClientKind =>
  kindOf(kind === 'sync' ? 'the Python SDK' : 'the async Python SDK', {
    command: python,
    args: [here('python_client.py'), kind, ...(maxRetries === undefined ? [] : [String(maxRetries)])],
    env: { PYTHONPATH: path.join(root, 'clients', 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' },
  })

function kindOf(name: string, program: Program): ClientKind {
  return {
    name,
    repeatsCreates: true,
    lineOf: restLine,
    open: (settings) => Promise.resolve(new LineClient(name, program, settings)),
  }
}

class LineClient implements ClientProcess {
  private readonly child
  private readonly ended: Promise<unknown>
  private readonly lines: AsyncIterator<string, undefined>
  private complaints = ''
  private isKilled = false

  constructor(
    private readonly name: string,
    { command, args, env }: Program,
    settings: ClientSettings,
  ) {
    this.child = spawn(command, args, { cwd: root, env: { ...environmentOf(settings), ...env } })
    this.child.stderr.on('data', (chunk: Buffer) => (this.complaints += chunk.toString()))
    // A write to a process that has ended fails; its missing answer is reported instead.
    this.child.stdin.on('error', () => undefined)
    this.ended = once(this.child, 'close')
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  create({ metadata, key }: Parameters<ClientProcess['create']>[0]): Promise<Outcome | null> {
    return this.call({ call: 'create', metadata, key })
  }
  act(phone: string, actions: readonly object[]): Promise<Outcome | null> {
    return this.call({ call: 'act', phone, actions })
  }
  start(phone: string, maxDuration: number): Promise<Outcome | null> {
    return this.call({ call: 'start', phone, max_duration: maxDuration })
  }
  observe(phone: string): Promise<Outcome | null> {
    return this.call({ call: 'observe', phone })
  }

  private async call(message: object): Promise<Outcome | null> {
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
    const next: IteratorResult<string, undefined> = await this.lines.next()
    if (next.done === true) {
      if (this.isKilled) return null
      throw new Error(`The program with ${this.name} ended: ${this.complaints}`)
    }
    const { phone, error } = outcomeSchema.parse(JSON.parse(next.value))
    return { phone, failure: error && failureOf(error, error.unknown) }
  }

  async kill(): Promise<void> {
    this.isKilled = true
    this.child.kill('SIGKILL')
    await this.ended
  }

  async close(): Promise<void> {
    this.child.stdin.end()
    await this.ended
  }
}
