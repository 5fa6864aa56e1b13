/**
 * Reads the processor time of the machine and of single processes during a measurement from /proc. Linux
 * only. Used by benches.
 */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'

/** `getconf CLK_TCK` on every Linux that Node runs on. */
export const ticksPerSecond = 100

/** Seconds of processor time that a process has used. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name can contain any character; it ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The ticks of all processors together: user, nice, system, idle, iowait, irq, softirq, steal. */
async function ticks(): Promise<number[]> {
  const [first = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  return first.split(/\s+/).slice(1, 9).map(Number)
}

/**
 * @returns a function that describes the time since the call: how busy the machine was, and its stolen time
 * (`st` of vmstat)
 */
export async function watchMachine(): Promise<() => Promise<string>> {
  const before = await ticks()
  return async () => {
    const spent = (await ticks()).map((now, at) => now - (before[at] ?? 0))
    const all = spent.reduce((sum, each) => sum + each, 0)
    const share = (part: number): string => `${((100 * part) / Math.max(1, all)).toFixed(0)} %`
    const [idle = 0, wait = 0, steal = 0] = [spent[3], spent[4], spent[7]]
    return `load ${loadavg()[0]?.toFixed(1)}, idle ${share(idle + wait)}, steal ${share(steal)}`
  }
}
