/** `dumpsys meminfo [PACKAGE|PID]` in the format of Android 14. The numbers are fixed and the same for all apps. */
import type { Android } from '../../android/android.js'
import { appProcesses } from '../../android/app-processes.js'

/** Kilobytes: PSS total, private dirty, private clean, RSS. */
const parts: readonly (readonly [string, number, number, number, number])[] = [
  ['Native Heap', 12_400, 12_340, 40, 13_900],
  ['Dalvik Heap', 6200, 6100, 60, 8800],
  ['Stack', 900, 900, 0, 910],
  ['.so mmap', 5200, 400, 3200, 29_000],
  ['.dex mmap', 9800, 20, 8800, 14_000],
  ['EGL mtrack', 22_000, 22_000, 0, 22_000],
  ['Unknown', 700, 690, 0, 1300],
]
const sum = (at: 1 | 2 | 3 | 4): number => parts.reduce((total, part) => total + part[at], 0)

export function dumpMemory(android: Android, args: readonly string[]): string {
  const wanted = args.find((arg) => !arg.startsWith('-'))
  const uptime = Math.round(android.uptimeMs)
  const head = `Applications Memory Usage (in Kilobytes):\nUptime: ${uptime} Realtime: ${uptime}\n`
  const apps = appProcesses(android)
  if (wanted === undefined) {
    const lines = apps.map(({ package: name, pid }) => `${kilobytes(sum(1))}: ${name} (pid ${pid})\n`)
    return `${head}\nTotal PSS by process:\n${lines.join('')}\nTotal RAM: 8,000,000K (status normal)\n Free RAM: 5,200,000K\n`
  }
  const app = apps.find(({ package: name, pid }) => name === wanted || String(pid) === wanted)
  if (app === undefined) return `No process found for: ${wanted}\n`
  const row = (name: string, numbers: readonly (number | string)[]): string =>
    `${name.padStart(13)}${numbers.map((value) => String(value).padStart(9)).join('')}\n`
  const rows = parts.map(([name, pss, dirty, clean, rss]) =>
    row(name, [pss, dirty, clean, 0, rss, ...(name.endsWith('Heap') ? [2 * pss, pss, pss] : [])]),
  )
  return `${head}
** MEMINFO in pid ${app.pid} [${app.package}] **
${row('', ['Pss', 'Private', 'Private', 'SwapPss', 'Rss', 'Heap', 'Heap', 'Heap'])}${row('', ['Total', 'Dirty', 'Clean', 'Dirty', 'Total', 'Size', 'Alloc', 'Free'])}${rows.join('')}${row('TOTAL', [sum(1), sum(2), sum(3), 0, sum(4), 37_200, 18_600, 18_600])}
 App Summary
                       Pss(KB)                        Rss(KB)
           Java Heap:     ${String(6200).padStart(6)}                         ${String(8800).padStart(6)}
         Native Heap:    ${String(12_400).padStart(7)}                        ${String(13_900).padStart(7)}
               TOTAL PSS: ${sum(1)}            TOTAL RSS: ${sum(4)}       TOTAL SWAP (KB): 0
`
}

const kilobytes = (value: number): string => `${value.toLocaleString('en-US')}K`.padStart(11)
