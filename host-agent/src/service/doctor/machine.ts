/** Findings about programs, USB and phones. Pure. */
import { error, ok, unknown, warning } from './finding.js'
import { serialsToServe } from '../../adb/usb.js'
import { phoneNetworkFindings } from './phone-network-findings.js'
import type { Finding, HostReadings, Readings, ServerReading, UsbPhone } from './readings.js'

export function machineFindings(found: Readings): Finding[] {
  return [
    ...adbFindings(found),
    ...usbFindings(found),
    ...ffmpegFindings(found),
    ...(found.host === null ? [] : phoneFindings(found.host.servers)),
    ...phoneNetworkFindings(found.host?.phoneNetwork ?? []),
  ]
}

function adbFindings({ adb, adbServers }: Readings): Finding[] {
  const program = programFinding(adb)
  if ('failed' in adbServers)
    return [
      program,
      unknown(
        'adb_servers',
        `the search for other adb servers failed: ${adbServers.failed}`,
        'Another adb server holds USB phones exclusively.',
        'ps -C adb -o pid,args',
      ),
    ]
  const others = adbServers.value.map(({ pid, command }) =>
    error(
      'adb_servers',
      `another adb server runs (process ${pid}): ${command}`,
      'That server holds USB phones exclusively, so that the agent does not see them.',
      'adb kill-server, as the user who started it',
    ),
  )
  return [program, ...(others.length > 0 ? others : [ok('adb_servers', 'no other adb server runs')])]
}

/** The adb version whose server aborts: `fdevent_epoll.cpp: failed to unregister fd -1 with epoll`. */
const aborting = /\b29\.0\.6\b/

function programFinding(adb: Readings['adb']): Finding {
  if ('failed' in adb)
    return error(
      'adb',
      `adb does not run: ${adb.failed}`,
      'The agent reaches phones only through adb.',
      'sudo apt-get install adb, or set adb_bin in the configuration',
    )
  const { version, knowsOneDevice } = adb.value
  if (knowsOneDevice) return ok('adb', `adb works: ${version}`)
  const crashes = aborting.test(version) ? ', and its server can abort when a phone disconnects' : ''
  return warning(
    'adb',
    `this adb does not know --one-device${crashes}: ${version}`,
    'All phones on USB share one adb server. When this server ends, running calls to all these phones fail. Each network phone has a separate server.',
    'install a newer adb and restart the agent. Debian 12: adb from bookworm-backports; elsewhere: the platform-tools of Google, and adb_bin in the configuration',
  )
}

function usbFindings({ usb, adb }: Readings): Finding[] {
  if ('failed' in usb)
    return [
      unknown(
        'usb',
        `the USB devices could not be read: ${usb.failed}`,
        'Phones without access rights stay invisible.',
        'lsusb -t',
      ),
    ]
  if (usb.value.length === 0)
    return [
      warning(
        'usb',
        'no phone with USB debugging is connected to USB',
        'The agent finds phones on USB only with USB debugging switched on. Network phones are not affected.',
        'switch on USB debugging in the developer options of the phone; check the cable',
      ),
    ]
  const needsSerial = 'value' in adb && adb.value.knowsOneDevice
  return usb.value.flatMap((phone) => [
    accessFinding(phone),
    ...(needsSerial ? serialFindings(phone) : []),
    ...speedFindings(phone),
  ])
}

const nameOf = ({ name, serial, port }: UsbPhone): string => `${name} ${serial ?? ''} at USB port ${port}`

function accessFinding(phone: UsbPhone): Finding {
  if (phone.access === 'ok') return ok('usb_access', `${nameOf(phone)} is accessible`)
  if (phone.access === 'missing')
    return error(
      'usb_access',
      `${nameOf(phone)} has no device file ${phone.node}`,
      'adb cannot open the phone. In a container, /dev/bus/usb is not passed on.',
      'pass /dev/bus/usb on to the container, or sudo udevadm trigger',
    )
  return error(
    'usb_access',
    `this user has no rights to ${nameOf(phone)} (${phone.node})`,
    'adb lists the phone as "no permissions" and cannot use it.',
    'sudo apt-get install android-sdk-platform-tools-common && sudo usermod -aG plugdev "$USER", log in again, and connect the phone again',
  )
}

function serialFindings(phone: UsbPhone): Finding[] {
  if (serialsToServe([phone], new Set()).length > 0) return []
  return [
    error(
      'usb_serial',
      `${nameOf(phone)} has no usable serial`,
      'A phone on USB has an adb server by its serial: printable ASCII characters without spaces, at most 128.',
      'use another phone, or connect this phone over the network (adb_connect)',
    ),
  ]
}

function speedFindings(phone: UsbPhone): Finding[] {
  if (phone.speed === null || phone.speed >= 480) return []
  return [
    warning(
      'usb_speed',
      `${nameOf(phone)} is connected with ${phone.speed} Mbit/s`,
      'Installs and video need USB 2.0 (480 Mbit/s).',
      'use another cable or port, or a hub with its own power supply; lsusb -t shows the speeds',
    ),
  ]
}

function ffmpegFindings({ ffmpeg, ffprobe }: Readings): Finding[] {
  const why = 'Recordings need ffmpeg and ffprobe 5.1 or newer.'
  const install = 'sudo apt-get install ffmpeg, or set ffmpeg_bin and ffprobe_bin in the configuration'
  const findings: Finding[] = []
  if ('failed' in ffmpeg)
    findings.push(error('ffmpeg', `ffmpeg does not run: ${ffmpeg.failed}`, why, install))
  else if (ffmpeg.value.missing.length > 0)
    findings.push(
      error(
        'ffmpeg',
        `this ffmpeg has no ${ffmpeg.value.missing.join(', ')}`,
        why,
        `${install}, with an ffmpeg that has all parts`,
      ),
    )
  if ('failed' in ffprobe)
    findings.push(error('ffprobe', `ffprobe does not run: ${ffprobe.failed}`, why, install))
  return findings.length > 0
    ? findings
    : [ok('ffmpeg', 'ffmpeg and ffprobe have the parts that recordings need')]
}

/** Advice for the states in which adb lists a phone. */
const advice: Readonly<Record<string, readonly [why: string, fix: string]>> = {
  unauthorized: [
    'The phone has not accepted the key of the agent.',
    'unlock the phone and accept "Allow USB debugging", with "Always allow from this computer"',
  ],
  offline: [
    'adb sees the phone, but the phone does not answer.',
    'disconnect the phone and connect it again; then restart the phone; then use another cable or port',
  ],
  'no permissions': [
    'The user of the agent has no rights to the USB device.',
    'sudo apt-get install android-sdk-platform-tools-common && sudo usermod -aG plugdev USER-OF-THE-AGENT, and restart the agent',
  ],
  authorizing: [
    'The phone checks the key of the agent.',
    'wait a moment, and look at the screen of the phone',
  ],
}

function phoneFindings(servers: HostReadings['servers']): Finding[] {
  if (servers === null)
    return [
      unknown(
        'phones',
        'the agent does not run, so the states of phones are not known',
        'Only the adb servers of the agent hold the phones.',
        'systemctl start phonerack-agent; without the package: phonerack-agent run',
      ),
    ]
  return servers.flatMap(serverFindings)
}

function serverFindings({ serial: server, phones }: ServerReading): Finding[] {
  if ('failed' in phones)
    return [
      error(
        'phones',
        `the adb server of ${server ?? 'all phones on USB'} does not answer: ${phones.failed}`,
        server === null
          ? 'Without this server, no phone on USB works.'
          : 'Without this server, the phone does not work.',
        'the agent starts the server again; if the server does not answer for a minute, read the log of the agent, and restart the agent',
      ),
    ]
  if (server !== null && phones.value.length === 0)
    return [
      error(
        'phones',
        `${server} is not connected`,
        'The adb server of this phone does not reach the phone.',
        'switch on USB debugging or wireless debugging on the phone; check the cable, or its address in adb_connect and the network',
      ),
    ]
  return phones.value.map(({ serial, state }) => {
    if (state === 'device') return ok('phones', `${serial} is connected`)
    const known = Object.keys(advice).find((each) => state.startsWith(each))
    const [why, fix] = advice[known ?? ''] ?? [
      'A phone can be used only in the state `device`.',
      `adb -s ${serial} reboot`,
    ]
    return error('phones', `${serial} is ${state}`, why, fix)
  })
}
