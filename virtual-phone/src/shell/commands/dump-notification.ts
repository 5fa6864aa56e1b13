/**
 * Notifications for the shell: `dumpsys notification [--noredact]`, `cmd notification list|get|post`. Forms: AOSP
 * `NotificationRecord.dump`, `NotificationShellCmd`.
 */
import type { Android } from '../../android/android.js'
import { keyOf, numberOf } from '../../android/logs/notification-key.js'
import { findPackage } from '../../android/packages.js'
import type { PhoneNotification } from '../../android/world.js'
import { decode, encode } from '../bytes.js'
import type { CommandIo } from '../command.js'
import { token } from './dump-package.js'

const shell = 'com.android.shell'

const flagsOf = ({ ongoing }: PhoneNotification): string => (ongoing === true ? '0x2' : '0x10')

const summaryOf = (notification: PhoneNotification): string =>
  `Notification(channel=default shortcut=null contentView=null vibrate=null sound=null defaults=0x0 flags=${flagsOf(notification)} color=0x00000000 vis=PRIVATE)`

function dumpRecord(android: Android, notification: PhoneNotification, pad: string, redact: boolean): string {
  const { package: name, id, title, text, whenMs } = notification
  const key = keyOf(android, notification)
  const uid = findPackage(android, name)?.uid ?? 10_000
  const value = (given: string) => (redact ? `String [length=${given.length}]` : `String (${given})`)
  return `${pad}NotificationRecord(0x${token(key)}: pkg=${name} user=UserHandle{0} id=${numberOf(notification)} tag=${id} importance=3 key=${key}: ${summaryOf(notification)})
${pad}  uid=${uid} userId=0
${pad}  opPkg=${name}
${pad}  flags=${flagsOf(notification)}
${pad}  pri=0
${pad}  key=${key}
${pad}  seen=true
${pad}  groupKey=${key}
${pad}  notification=
${pad}    fullscreenIntent=null
${pad}    contentIntent=PendingIntent{${token(id)}: PendingIntentRecord{${token(key)} ${name} startActivity}}
${pad}    deleteIntent=null
${pad}    number=0
${pad}    when=${whenMs}
${pad}    tickerText=null
${pad}    extras={
${pad}      android.title=${value(title)}
${pad}      android.reduced.images=Boolean (true)
${pad}      android.text=${value(text)}
${pad}      android.appInfo=ApplicationInfo (ApplicationInfo{${token(name)} ${name}})
${pad}    }
${pad}  stats=SingleNotificationStats{posttimeElapsedMs=1}
${pad}  mCreationTimeMs=${whenMs}
${pad}  mUpdateTimeMs=${whenMs}
${pad}  mChannelIdLogTag=default
`
}

export function dumpNotifications(android: Android, args: readonly string[]): string {
  const redact = !args.includes('--noredact')
  const records = android.world.notifications.map((each) => dumpRecord(android, each, '    ', redact))
  return `Current Notification Manager state:\n${records.length > 0 ? `  Notification List:\n${records.join('')}` : ''}  \n  mUseAttentionLight=false\n  mDisableNotificationEffects=false\n`
}

export async function listNotifications(io: CommandIo): Promise<number> {
  const { android } = io
  for (const each of android.world.notifications) await io.out(encode(`${keyOf(android, each)}\n`))
  return 0
}

export async function getNotification(io: CommandIo, key: string): Promise<number> {
  const { android } = io
  const found = android.world.notifications.find((each) => keyOf(android, each) === key)
  if (found === undefined) {
    await io.out(encode(`No active or snoozed notification found for key: ${key}\n`))
    return 255
  }
  await io.out(encode(dumpRecord(android, found, '', false)))
  return 0
}

/** Runs `post [-v] [-t TITLE] TAG TEXT`; other options are not supported. */
export async function postNotification(io: CommandIo, args: readonly string[]): Promise<number> {
  const rest = [...args]
  let title = 'Shell Notification'
  while (rest[0]?.startsWith('-') === true) {
    const option = rest.shift()
    if (option === '-t' || option === '--title') title = decode(rest.shift() ?? '')
    else if (option !== '-v' && option !== '--verbose') {
      await io.out(`error: unsupported option ${option ?? ''}\n`)
      return 255
    }
  }
  const [tag, ...words] = rest
  if (tag === undefined || words.length === 0) {
    await io.out('usage: cmd notification post [flags] <tag> <text>\n')
    return 255
  }
  const text = decode(words.join(' '))
  const posted = { package: shell, id: decode(tag), title, text, whenMs: io.android.nowMs }
  io.android.world.notify(posted)
  await io.out(encode(`posting:\n  ${summaryOf(posted)}\n`))
  return 0
}
