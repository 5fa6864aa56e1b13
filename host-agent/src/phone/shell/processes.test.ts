import { describe, expect, it } from 'vitest'
import { groupOf, parseProcesses, strays } from './processes.js'

/** Form: toybox of AOSP 10 to 16. */
const list = `2100
  PID  PPID  PGID USER         LABEL                          NAME
    1     0     0 root         u:r:init:s0                    init
  300     1   300 root         u:r:zygote:s0                  zygote64
  400     1   400 shell        u:r:adbd:s0                    adbd
  410     1   410 shell        u:r:mobile_log_d:s0            mobile_log_d
  500   300   300 shell        u:r:shell:s0                   com.android.shell
  510   300   300 u0_a120      u:r:untrusted_app:s0:c120      org.example.app
 2000   400  2000 shell        u:r:shell:s0                   sh
 2001  2000  2000 shell        u:r:shell:s0                   sleep
 2002     1  2000 shell        u:r:shell:s0                   my server
 2003     1  2003 shell        u:r:shell:s0                   zygote64
 2004  2003  2003 shell        u:r:shell:s0                   adbd
 2005     1  2003 shell        u:r:shell:s0${' '.repeat(19)}
 1999  2001  1999 shell        u:r:shell:s0                   sleep
 2100   400  2100 shell        u:r:shell:s0                   sh
 2101  2100  2100 shell        u:r:shell:s0                   ps
`
const { own, processes } = parseProcesses(list)
const pids = (found: readonly { pid: number }[]) => found.map(({ pid }) => pid)

describe('the processes of a phone', () => {
  it('belong to a command by its process group or as descendants', () => {
    expect(pids(groupOf(2000)(processes, own))).toEqual([2000, 2001, 2002, 1999])
  })

  it('belong to a tenant by user and domain, under any name or an empty one, without apps and the list', () => {
    expect(pids(strays(processes, own))).toEqual([2000, 2001, 2002, 2003, 2004, 2005, 1999])
  })

  it.each([
    ['an error', '2100\nps: bad -o LABEL\n'],
    ['nothing', ''],
    [
      'a list without the shell that printed it',
      '9\nPID PPID PGID USER LABEL NAME\n1 0 0 root u:r:init:s0 init\n',
    ],
  ])('cannot be read from %s', (_, output) => {
    expect(() => parseProcesses(output)).toThrow('list of processes')
  })
})
