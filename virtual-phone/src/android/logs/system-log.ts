/**
 * Writes starts, crashes, hangs and notifications of apps to the logs, as Android does. Sources: AOSP `RuntimeInit`,
 * `AppErrors`, `ProcessErrorStateRecord`, `NotificationManagerService`; numbers of events: `EventLogTags.logtags`.
 */
import { encode } from '../../shell/bytes.js'
import type { Android } from '../android.js'
import { appProcesses } from '../app-processes.js'
import { fingerprint } from '../identity.js'
import { findPackage } from '../packages.js'
import type { Incident, PhoneNotification } from '../world.js'
import type { LogBuffer, LogLine, Priority } from './buffers.js'
import { addReport } from './dropbox.js'
import { numberOf } from './notification-key.js'

/** AOSP `event-log-tags`. */
const eventTags = {
  notification_enqueue: 2750,
  notification_cancel: 2751,
  am_anr: 30_008,
  am_proc_start: 30_014,
  am_crash: 30_039,
} as const

const systemUid = 1000

interface Writer {
  pid: number
  uid: number
}

/** Writes each incident of the phone's world to its logs. */
export function keepSystemLog(android: Android): void {
  const { logs, world } = android

  const say = (buffer: LogBuffer, { pid, uid }: Writer, priority: Priority, tag: string, message: string) => {
    const line: LogLine = { pid, tid: pid, uid, priority, tag, message: encode(message) }
    logs.write(buffer, line)
  }
  const event = (name: keyof typeof eventTags, values: readonly (number | string)[]): void => {
    const texts = values.map((value) => (typeof value === 'string' ? encode(value) : value))
    const { pid, uid } = systemServer()
    const payload = { tag: eventTags[name], values: texts }
    const message = `[${texts.join(',')}]`
    logs.write('events', { pid, tid: pid, uid, priority: 'I', tag: name, message, event: payload })
  }
  const systemServer = (): Writer => ({
    pid: android.processes.list().find(({ name }) => name === 'system_server')?.pid ?? 1000,
    uid: systemUid,
  })
  const appOf = (name: string): Writer => {
    const uid = findPackage(android, name)?.uid ?? 10_000
    const known = appProcesses(android).find((process) => process.package === name)
    return { pid: known?.pid ?? 40_000 + (uid % 10_000), uid }
  }

  function started(name: string, className: string): void {
    const app = appOf(name)
    const short = `${name}/${className.startsWith(`${name}.`) ? className.slice(name.length) : className}`
    say('system', systemServer(), 'I', 'ActivityTaskManager', `START u0 {cmp=${short}} from uid ${systemUid}`)
    event('am_proc_start', [0, app.pid, app.uid, name, 'next-top-activity', `{${short}}`])
    const tag = className.slice(className.lastIndexOf('.') + 1).slice(0, 23)
    say('main', app, 'D', tag, `onCreate ${className}`)
  }

  const trace = (name: string): string =>
    [
      'java.lang.IllegalStateException: Crashed on command',
      `\tat ${name}.MainActivity.crash(MainActivity.kt:42)`,
      `\tat ${name}.MainActivity$onCreate$1.onClick(MainActivity.kt:27)`,
      '\tat android.view.View.performClick(View.java:7659)',
      '\tat android.os.Handler.handleCallback(Handler.java:958)',
      '\tat android.os.Looper.loop(Looper.java:294)',
      '\tat android.app.ActivityThread.main(ActivityThread.java:8177)',
    ].join('\n')

  function crashed(name: string): void {
    const app = appOf(name)
    const stack = trace(name)
    say(
      'crash',
      app,
      'E',
      'AndroidRuntime',
      `FATAL EXCEPTION: main\nProcess: ${name}, PID: ${app.pid}\n${stack}`,
    )
    event('am_crash', [
      ...[app.pid, 0, name, 0x38c8be45, 'java.lang.IllegalStateException', 'Crashed on command'],
      ...['MainActivity.kt', 42, 0],
    ])
    report('crash', name, app, [], stack)
    say(
      'system',
      systemServer(),
      'W',
      'ActivityTaskManager',
      `  Force finishing activity ${name}/.MainActivity`,
    )
    say('main', app, 'I', 'Process', `Sending signal. PID: ${app.pid} SIG: 9`)
  }

  function hung(name: string): void {
    const app = appOf(name)
    const window = `${name}/${name}.MainActivity`
    const reason = `Input dispatching timed out (${window} is not responding. Waited 5000ms for MotionEvent)`
    event('am_anr', [0, app.pid, name, 0x38c8be45, reason])
    say(
      'system',
      systemServer(),
      'E',
      'ActivityManager',
      `ANR in ${name} (${name}/.MainActivity)\nPID: ${app.pid}\nReason: ${reason}`,
    )
    const stack = [
      `----- pid ${app.pid} at ${new Date(android.nowMs).toISOString()} -----`,
      `Cmd line: ${name}`,
      '',
      '"main" prio=5 tid=1 Sleeping',
      '  at java.lang.Thread.sleep(Native method)',
      `  at ${name}.MainActivity.hang(MainActivity.kt:51)`,
      '  at android.view.View.performClick(View.java:7659)',
      '  at android.os.Looper.loop(Looper.java:294)',
      '',
      `----- end ${app.pid} -----`,
    ].join('\n')
    report('anr', name, app, [`Activity: ${name}/.MainActivity`, `Subject: ${reason}`], stack)
  }

  function report(kind: 'crash' | 'anr', name: string, app: Writer, more: string[], body: string): void {
    const entry = findPackage(android, name)
    const head = [
      `Process: ${name}`,
      `PID: ${app.pid}`,
      `UID: ${app.uid}`,
      'Frozen: false',
      'Flags: 0x38c8be45',
      `Package: ${name} v${entry?.versionCode ?? 0} (${entry?.versionName ?? ''})`,
      'Foreground: Yes',
      ...more,
      `Build: ${fingerprint}`,
    ]
    const { userData } = android
    userData.dropBox = addReport(userData.dropBox, {
      tag: `${entry?.system === false ? 'data_app' : 'system_app'}_${kind}`,
      atMs: Math.floor(android.nowMs),
      text: `${head.join('\n')}\n\n${body}\n`,
    })
    android.changed()
  }

  function posted(notification: PhoneNotification, isUpdate: boolean): void {
    const { uid } = appOf(notification.package)
    const { pid } = systemServer()
    const number = numberOf(notification)
    const shown = 'Notification(channel=default shortcut=null contentView=null vis=PRIVATE)'
    const values = [uid, pid, notification.package, number, notification.id, 0, shown, isUpdate ? 1 : 0]
    event('notification_enqueue', values)
  }

  function cancelled(name: string, id: string): void {
    const { pid } = systemServer()
    const number = numberOf({ package: name })
    event('notification_cancel', [systemUid, pid, name, number, id, 0, 0, 0, 2, ''])
  }

  world.onIncident((incident: Incident) => {
    switch (incident.kind) {
      case 'started':
        return started(incident.package, incident.className)
      case 'crash':
        return crashed(incident.package)
      case 'not_responding':
        return hung(incident.package)
      case 'posted':
        return posted(incident.notification, incident.isUpdate)
      case 'cancelled':
        return cancelled(incident.package, incident.id)
    }
  })
}

/** Writes the first lines after a start. */
export function logBoot(android: Android): void {
  const line = (tag: string, message: string): void =>
    android.logs.write('system', { pid: 1000, tid: 1000, uid: systemUid, priority: 'I', tag, message })
  line('SystemServer', 'Entered the Android system server!')
  line('ActivityManager', 'System now ready')
}
