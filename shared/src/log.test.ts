/** The content of a log line for given objects and errors. */
import { closeSync, openSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLogger, logStream } from './log.js'

const secret = `prk_${'a'.repeat(43)}`

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  let lines = ''
  const log = createLogger('test', { write: (line: string) => void (lines += line) })
  log.level = 'info'
  write(log)
  return lines
}

it('drops lines while the disk under the log is full, without an error and without more memory', () => {
  const full = openSync('/dev/full', 'w')
  try {
    const log = createLogger('test', logStream(full))
    log.level = 'info'
    const lines = (count: number): void => {
      for (let line = 0; line < count; line += 1) log.info({ padding: 'x'.repeat(1000) }, 'a line')
    }
    lines(5000)
    const before = process.memoryUsage().heapUsed
    lines(50_000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(25 << 20)
  } finally {
    closeSync(full)
  }
})

describe('the logger', () => {
  it('redacts secrets in messages, fields, errors and their causes', () => {
    const error = new Error(`refused ${secret}`, { cause: new Error(`because of ${secret}`) })
    const line = logged((log) => {
      log
        .child({ bound: secret })
        .info({ err: error, reason: secret, deep: { list: [secret] } }, `got ${secret}`)
      log.info('by format: %s', secret)
    })
    expect(line).not.toContain(secret)
    expect(line).toContain('because of prk_[redacted]')
  })

  it('writes only the type, message, frames, code and cause of an error', () => {
    class Refused extends Error {
      readonly service = 'shell:input text hunter2'
      readonly code = 'EREFUSED'
    }
    const line = logged((log) =>
      log.warn({ err: new Error('above', { cause: new Refused('no') }) }, 'failed'),
    )
    expect(line).not.toContain('hunter2')
    const { err } = JSON.parse(line) as { err: Record<string, unknown> & { cause: Record<string, unknown> } }
    expect(err).toMatchObject({ type: 'Error', message: 'above', cause: { type: 'Refused', message: 'no' } })
    expect(err.cause['code']).toBe('EREFUSED')
    expect(String(err['stack'])).toMatch(/^at .*log\.test\.ts/m)
  })

  it('writes an error that is the only argument in the same way', () => {
    const line = logged((log) => log.error(Object.assign(new Error('alone'), { text: 'hunter2' })))
    expect(line).toContain('alone')
    expect(line).not.toContain('hunter2')
  })

  it('does not repeat text that is not valid JSON', () => {
    let failure: unknown
    try {
      JSON.parse('hunter2 was typed')
    } catch (error) {
      failure = error
    }
    const line = logged((log) => log.error({ err: new Error('unreadable', { cause: failure }) }, 'failed'))
    expect(line).toContain('SyntaxError')
    expect(line).not.toContain('hunter2')
  })

  it('reports each failure of an AggregateError', () => {
    const error = new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')])
    expect(logged((log) => log.error({ err: error }, 'failed'))).toContain('::1 refused; 127.0.0.1 refused')
  })

  it('ends a cycle of causes', () => {
    const error = new Error('first')
    error.cause = new Error('second', { cause: error })
    expect(logged((log) => log.error({ err: error }, 'failed'))).toContain('second')
  })
})
