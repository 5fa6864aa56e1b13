/**
 * Sends the requests of the load and checks each answer against the description, and against the faults at
 * that time.
 */
import { appendFileSync } from 'node:fs'
import { Api, type Answer, type RequestOptions } from '@phonerack/e2e/system/api.js'
import type { Contract, Operation } from '@phonerack/e2e/contract/document.js'
import { stamp, type Timeline } from '../timeline.js'

export interface Violation {
  rule: string
  detail: string
  /** Milliseconds since the epoch. */
  at: number
}

export interface Judge {
  readonly contract: Contract
  readonly timeline: Timeline
  /** A file with one line for each request. */
  readonly requestLog: string
  report: (violation: Violation) => void
}

export interface Counts {
  requests: number
  /** The number of answers by status; `none`: no answer. */
  statuses: Record<string, number>
  /** The number of errors by code. */
  codes: Record<string, number>
}

/** The longest wait, since no request asks to wait longer. */
const answerWithinMs = 75_000

export class Watched {
  readonly counts: Counts = { requests: 0, statuses: {}, codes: {} }

  constructor(
    private readonly baseUrl: string,
    private readonly judge: Judge,
  ) {}

  /** Null: there was no answer. `operation`: when omitted, found by the path. */
  async send(
    who: string,
    key: string,
    method: string,
    path: string,
    options: RequestOptions = {},
    operation?: Operation,
  ): Promise<Answer | null> {
    const from = Date.now()
    let answer: Answer | null = null
    let failure = ''
    try {
      answer = await new Api(this.baseUrl, key).request(method, path, {
        timeoutMs: answerWithinMs,
        ...options,
      })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      failure = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
    }
    const to = Date.now()
    const code = codeOf(answer)
    this.count(answer, code)
    const result = answer === null ? `no answer (${failure})` : `${answer.status} ${code ?? ''}`.trim()
    const line = `${who} ${method} ${path} -> ${result}`
    appendFileSync(this.judge.requestLog, `${stamp(from)} +${to - from} ms ${line} ${requestIdOf(answer)}\n`)
    const wrong = this.wrongWith(method, path, answer, from, to, operation)
    if (wrong !== null) {
      const said = answer === null ? '' : `; answered ${answer.bytes.toString().slice(0, 400)}`
      this.judge.report({ rule: 'answer outside the contract', detail: `${line}: ${wrong}${said}`, at: from })
    }
    return answer
  }

  private count(answer: Answer | null, code: string | null): void {
    const status = answer === null ? 'none' : String(answer.status)
    this.counts.requests += 1
    this.counts.statuses[status] = (this.counts.statuses[status] ?? 0) + 1
    if (code !== null) this.counts.codes[code] = (this.counts.codes[code] ?? 0) + 1
  }

  private wrongWith(
    method: string,
    path: string,
    answer: Answer | null,
    from: number,
    to: number,
    given?: Operation,
  ): string | null {
    const felt = this.judge.timeline.felt(from, to)
    if (answer === null) return felt.length > 0 ? null : 'no answer, and no fault at that time'
    const operation = given ?? operationOf(this.judge.contract, method, path)
    if (!operation) return null
    // A write whose commit is unknown is a 500 that clients must not repeat (docs/decisions/0196).
    if (answer.status === 500 && method !== 'GET' && felt.length > 0) return null
    return this.judge.contract.breach(operation, answer)
  }
}

function codeOf(answer: Answer | null): string | null {
  if (answer === null || answer.status < 400) return null
  const body = answer.body as { error?: { code?: unknown } } | null
  const code = typeof body === 'object' ? body?.error?.code : undefined
  return typeof code === 'string' ? code : null
}

const requestIdOf = (answer: Answer | null): string => answer?.headers.get('x-request-id') ?? ''

/** Finds the operation with the most fixed parts that matches the path. */
export function operationOf(contract: Contract, method: string, path: string): Operation | null {
  const parts = (path.split('?')[0] ?? '').split('/')
  const fits = contract.operations.filter((operation) => {
    const wanted = operation.path.split('/')
    return (
      operation.method === method &&
      wanted.length === parts.length &&
      wanted.every((part, at) => part.startsWith('{') || part === parts[at])
    )
  })
  const fixed = (operation: Operation) =>
    operation.path.split('/').filter((part) => !part.startsWith('{')).length
  return fits.sort((a, b) => fixed(b) - fixed(a))[0] ?? null
}
