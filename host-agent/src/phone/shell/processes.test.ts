import { describe, expect, it } from 'vitest'
import { groupOf, parseProcesses, strays } from './processes.js'

/** Form: toybox of AOSP 10 to 16. */
const list = `2100
  PID  PPID  PGID USER         LABEL
    1     0     0 root         u:r:init:s0
  300     1   300 root         u:r:zygote:s0
  400     1   400 shell        u:r:adbd:s0
  410     1   410 shell        u:r:mobile_log_d:s0
  500   300   300 shell        u:r:shell:s0
  510   300   300 u0_a120      u:r:untrusted_app:s0:c120
 2000   400  2000 shell        u:r:shell:s0
 2001  2000  2000 shell        u:r:shell:s0
 2002     1  2000 shell        u:r:shell:s0
 2003     1  2003 shell        u:r:shell:s0
 2004  2003  2003 shell        u:r:shell:s0
 2005     1  2003 shell        u:r:shell:s0
 1999  2001  1999 shell        u:r:shell:s0
 2100   400  2100 shell        u:r:shell:s0
 2101  2100  2100 shell        u:r:shell:s0
`
const { own, processes } = parseProcesses(list)
const pids = (found: readonly { pid: number }[]) => found.map(({ pid }) => pid)

describe('the processes of a phone', () => {
  it('belong to a command by its process group or as descendants', () => {
    expect(pids(groupOf(2000)(processes, own))).toEqual([2000, 2001, 2002, 1999])
  })

  it('belong to a command in a few reads of the list, also as a chain of children with lower IDs', () => {
    const count = 2000
    let reads = 0
    const chain = Array.from({ length: count }, (_, index) => ({
      pid: index + 2,
      get parent() {
        reads += 1
        return index + 3
      },
      group: index + 2,
      user: 'shell',
      label: 'u:r:shell:s0',
    }))
    expect(groupOf(count + 1)(chain, own)).toHaveLength(count)
    expect(reads).toBeLessThan(5 * count)
  })

  it('belong to a tenant by user and domain, without apps, services and the list', () => {
    expect(pids(strays(processes, own))).toEqual([2000, 2001, 2002, 2003, 2004, 2005, 1999])
  })

  it.each([
    ['an error', '2100\nps: bad -o LABEL\n'],
    ['nothing', ''],
    ['a list without the shell that printed it', '9\nPID PPID PGID USER LABEL\n1 0 0 root u:r:init:s0\n'],
  ])('cannot be read from %s', (_, output) => {
    expect(() => parseProcesses(output)).toThrow('list of processes')
  })
})
