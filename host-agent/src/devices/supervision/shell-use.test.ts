/** The end of a tenant's processes on a phone that does not answer as usual. */
import { createLogger, Progress } from '@phonerack/shared'
import { expect, it } from 'vitest'
import type { ShellRecord } from '../../custody/records.js'
import { printing } from '../../testing/printing.js'
import { ShellUse } from './shell-use.js'

const bootId = '01234567-89ab-cdef-0123-456789abcdef'
const log = createLogger('test')
log.level = 'silent'

function used(print: (line: string) => string) {
  let record: ShellRecord | null = { bootId, orderedOn: null, restartedAt: null, mayHaveLeft: true }
  const use = new ShellUse({
    kinds: ['virtual'],
    known: () => null,
    tie: { restoreMark: () => Promise.resolve() },
    record: { get: () => record, set: (next) => (record = next) },
    log,
  })
  return { end: () => use.end(printing(print), Progress.for(5000)), mayHaveLeft: () => record?.mayHaveLeft }
}
const list = (line: string) =>
  line.includes('ps') ? '9\nPID PPID PGID USER LABEL\n9 1 9 shell u:r:shell:s0\n' : null

it('does not take a phone that cannot print the ID of its boot for a phone that has restarted', async () => {
  const full = used(() => '')
  expect([await full.end(), full.mayHaveLeft()]).toEqual(['left', true])
  const silent = used((line) => list(line) ?? '')
  expect([await silent.end(), silent.mayHaveLeft()]).toEqual(['ended', false])
})

it('ends nothing on a phone that has restarted', async () => {
  const restarted = used((line) => (line.includes('boot_id') ? `${bootId.replace('0', 'f')}\n` : ''))
  expect([await restarted.end(), restarted.mayHaveLeft()]).toEqual(['none', false])
})
