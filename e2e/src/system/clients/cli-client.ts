/** The program `phonerack` as a client: a process for each call. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { root } from '../system.js'
import {
  environmentOf,
  failureOf,
  restLine,
  type ClientKind,
  type ClientProcess,
  type ClientSettings,
  type CreateCall,
  type Outcome,
} from './client.js'

export const cliProgram = path.join(root, 'clients', 'cli', 'dist', 'cli.js')
/** "The outcome is unknown", of the table in the README. */
const unknownOutcome = 13

const phoneSchema = z.object({ id: z.string() })
const errorSchema = z.object({ error: z.unknown() })

export const cliClient: ClientKind = {
  name: 'the command line',
  repeatsCreates: true,
  lineOf: restLine,
  open: (settings) => Promise.resolve(new CliClient(settings)),
}

class CliClient implements ClientProcess {
  private child: ChildProcess | null = null
  private ended: Promise<unknown> = Promise.resolve()
  private isKilled = false

  constructor(private readonly settings: ClientSettings) {}

  create({ metadata, key }: CreateCall): Promise<Outcome | null> {
    const pairs = Object.entries(metadata).map(([name, value]) => `${name}=${value}`)
    const words = ['--metadata', ...pairs, ...(key === undefined ? [] : ['--idempotency-key', key])]
    return this.run(['phone', 'create', ...words], { isPhone: true })
  }
  act(phone: string, actions: readonly object[]): Promise<Outcome | null> {
    const words = ['phone', 'batch', phone, '-', '--observe', 'none']
    return this.run(words, { input: JSON.stringify(actions) })
  }
  start(phone: string, maxDuration: number): Promise<Outcome | null> {
    return this.run(['phone', 'start', phone, '--max-duration', `${maxDuration}s`], { isPhone: true })
  }
  observe(phone: string): Promise<Outcome | null> {
    return this.run(['phone', 'observe', phone])
  }

  private async run(
    words: readonly string[],
    { input = '', isPhone = false }: { input?: string; isPhone?: boolean } = {},
  ): Promise<Outcome | null> {
    const child = spawn(process.execPath, [cliProgram, ...words, '--json'], {
      cwd: this.settings.home,
      env: environmentOf(this.settings),
    })
    this.child = child
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.stdin.end(input)
    this.ended = once(child, 'close')
    await this.ended
    this.child = null
    if (this.isKilled) return null
    if (child.exitCode === 0)
      return { phone: isPhone ? phoneSchema.parse(JSON.parse(out)).id : null, failure: null }
    // A line before the error names the phone of a failed wait.
    const { error } = errorSchema.parse(JSON.parse(err.trim().split('\n').at(-1) ?? ''))
    return { phone: null, failure: failureOf(error, child.exitCode === unknownOutcome) }
  }

  async kill(): Promise<void> {
    this.isKilled = true
    this.child?.kill('SIGKILL')
    await this.ended
  }

  async close(): Promise<void> {
    if (this.child !== null) await this.kill()
  }
}
