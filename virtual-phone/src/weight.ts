/**
 * Measures what idle virtual phones cost: `node dist/weight.js [phones] [seconds]`.
 * Prints one line of JSON: memory of the whole process, and processor time as a share of one core.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Phone, startPhone } from './phone.js'

const MB = 1024 * 1024

async function measure(count: number, seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-weight-'))
  const phones: Phone[] = []
  const startedAt = performance.now()
  try {
    for (let i = 0; i < count; i++) {
      phones.push(await startPhone({ port: 0, dataDir: join(folder, String(i)), pace: 'instant' }))
    }
    const startMs = Math.round(performance.now() - startedAt)
    // What starting left to do is no idling.
    await delay(2000)
    const before = process.cpuUsage()
    await delay(seconds * 1000)
    const used = process.cpuUsage(before)
    const coreShare = (used.user + used.system) / 1e6 / seconds
    const result = {
      phones: count,
      startMs,
      rssMb: Math.round(process.memoryUsage.rss() / MB),
      peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
      corePercent: Number((coreShare * 100).toFixed(2)),
    }
    process.stdout.write(`${JSON.stringify(result)}\n`)
  } finally {
    for (const phone of phones) await phone.close()
    rmSync(folder, { recursive: true })
  }
}

await measure(Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 20))
