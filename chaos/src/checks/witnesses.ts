/**
 * Judges the records of the virtual phones: which tenants used them between two wipes, and how often each
 * write arrived. Pure.
 */
import type { Witnessed } from '@phonerack/virtual-phone'
import { word } from '../parts/topology.js'

export interface Finding {
  rule: string
  detail: string
  /** Milliseconds since the epoch. */
  at: number
}

const mark = new RegExp(`${word}(ph_[a-z2-7]{12})-\\d+`)

/**
 * @param lines of one device, in their order
 * @param tenantOf returns the tenant of a phone; undefined: no client knows the phone
 */
export function judgeWitness(
  device: string,
  lines: readonly Witnessed[],
  tenantOf: (phone: string) => string | undefined,
): Finding[] {
  const findings: Finding[] = []
  const seen = new Map<string, string>()
  let holder: string | null = null
  for (const line of lines) {
    const at = Date.parse(line.at)
    if (line.what === 'wipe') {
      holder = null
      continue
    }
    const [text, phone] = mark.exec(line.argv.join(' ')) ?? []
    if (text === undefined || phone === undefined) continue
    if (holder !== null && holder !== phone) {
      const [before, now] = [tenantOf(holder), tenantOf(phone)]
      const rule = before === now ? 'a device was handed on unwiped' : 'a device served two tenants'
      const of = (each: string, tenant: string | undefined) => `${each} of ${tenant ?? 'an unknown tenant'}`
      findings.push({ rule, detail: `${device}: ${of(holder, before)}, then ${of(phone, now)}`, at })
    }
    holder = phone
    // One write starts several programs with its name, each program once.
    const write = `${line.argv.slice(0, 2).join(' ')} ${text}`
    const first = seen.get(write)
    if (first === undefined) seen.set(write, line.at)
    else
      findings.push({
        rule: 'a write was sent twice',
        detail: `${device}: ${line.argv.join(' ')}, first at ${first}`,
        at,
      })
  }
  return findings
}
