/** `dumpsys dropbox [--print|--file] [date] [time] [tag]`. Form: AOSP `DropBoxManagerService.dump`. */
import type { Android } from '../../android/android.js'
import { localTime } from './date.js'

const line = '========================================'
/** The number of characters of a report in the list. */
const previewLength = 70

export function dumpDropBox(android: Android, args: readonly string[]): string {
  const has = (...names: string[]) => args.some((arg) => names.includes(arg))
  const [print, file] = [has('-p', '--print'), has('-f', '--file')]
  const wanted = args.filter((arg) => !arg.startsWith('-'))
  const { dropBox } = android.userData
  const dated = dropBox.map((entry) => ({ ...entry, date: dateOf(entry.atMs, android.timeZone) }))
  const found = dated.filter(({ date, tag }) => wanted.every((arg) => date.includes(arg) || arg === tag))
  let text = `Drop box contents: ${dropBox.length} entries\nMax entries: 1000\nLow priority rate limit period: 2000 ms\nLow priority tags: {data_app_wtf, keymaster, system_server_wtf, system_app_strictmode, system_app_wtf, system_server_strictmode, data_app_strictmode, netstats}\n`
  if (wanted.length > 0) text += `Searching for: ${wanted.join(' ')}\n`
  text += '\n'
  for (const { tag, atMs, date, text: report } of found) {
    if (print) text += `${line}\n`
    text += `${date} ${tag} (text, ${Buffer.byteLength(report)} bytes)\n`
    if (file) text += `${print ? '' : '    '}/data/system/dropbox/${tag}@${atMs}.txt\n`
    if (print) text += `${report.replace(/\n?$/, '\n')}\n`
    else if (!file) text += `    ${previewOf(report)}\n`
  }
  if (found.length === 0) text += '(No entries found.)\n'
  if (args.length === 0) text += '\nUsage: dumpsys dropbox [--print|--file] [YYYY-mm-dd] [HH:MM:SS] [tag]\n'
  return text
}

function previewOf(report: string): string {
  const first = report.slice(0, previewLength)
  return `${first.trim().replaceAll('\n', '/')}${first.length === previewLength ? ' ...' : ''}`
}

function dateOf(ms: number, timeZone: string): string {
  const { year, month, day, hour, minute, second } = localTime(ms, timeZone)
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}
