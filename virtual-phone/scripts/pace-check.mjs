/**
 * Measures `--pace real` end to end, with the real adb and over HTTP, and compares it with a mid-range phone:
 * `node scripts/pace-check.mjs [times] [--reboot]` after a build. Prints one line of JSON per measurement.
 * The exit code is 1 when a median is outside a phone's range. `allowedMs`: the time that adb, this process
 * and the machine may add. scrcpy's touch needs the released server 3.3.3 (`PHONERACK_SCRCPY_SERVER`, or the
 * tests' copy).
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate as tick, setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const { startPhone } = await import(pathToFileURL(join(here, '../dist/index.js')))
const require = createRequire(import.meta.url)
const { fetch } = globalThis
const times = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? 5)
const ALLOWED_MS = 150

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-pace-'))
const adbPort = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
const phone = await startPhone({ port: 0, dataDir: join(folder, 'phone'), pace: 'real' })
const serial = `127.0.0.1:${phone.port}`
const env = {
  ...process.env,
  HOME: folder,
  ANDROID_ADB_SERVER_PORT: String(adbPort),
  ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
  ANDROID_SERIAL: serial,
}
const adb = (...args) =>
  new Promise((resolve, reject) => {
    execFile('adb', args, { env, timeout: 60_000, encoding: 'buffer', maxBuffer: 2 ** 26 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
  })

let good = true
function report(what, [least, most], took, allowedMs = ALLOWED_MS) {
  const sorted = [...took].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  const within = median >= least && median <= most + allowedMs
  good &&= within
  const round = (ms) => Number(ms.toFixed(1))
  const figures = { least: round(sorted[0]), median: round(median), most: round(sorted.at(-1)) }
  const line = { what, phoneMs: [least, most], ...figures, allowedMs, within, load: loadavg()[0] }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function measure(what, span, act) {
  const took = []
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await act()
    took.push(performance.now() - startedAt)
  }
  report(what, span, took)
}

async function uiServer() {
  const apk = (name, file) => join(dirname(require.resolve(`${name}/package.json`)), 'apks', file)
  const packageName = 'appium-uiautomator2-server'
  await adb('install', apk(packageName, 'appium-uiautomator2-server-v10.6.6.apk'))
  await adb('install', apk(packageName, 'appium-uiautomator2-server-debug-androidTest.apk'))
  const runner = 'io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner'
  const server = spawn('adb', ['shell', `am instrument -w -e disableAnalytics true ${runner}`], {
    env,
    stdio: 'ignore',
  })
  const port = Number((await adb('forward', 'tcp:0', 'tcp:6790')).toString())
  const call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const { value } = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(value))
    return value
  }
  for (let attempt = 0; ; attempt++) {
    try {
      await call('GET', '/status')
      break
    } catch (error) {
      if (attempt > 50) throw error
      await delay(100)
    }
  }
  const { sessionId } = await call('POST', '/session', {
    capabilities: { alwaysMatch: {}, firstMatch: [{}] },
  })
  await measure('UI server: GET /source over HTTP', [800, 1000], () =>
    call('GET', `/session/${sessionId}/source`),
  )
  await call('DELETE', `/session/${sessionId}`)
  await new Promise((resolve) => server.once('close', resolve))
}

/** Measures from the bytes on the socket to the touch in the phone, which counts touches. */
async function scrcpyTouch() {
  const jar = process.env.PHONERACK_SCRCPY_SERVER ?? join(tmpdir(), 'phonerack-test-scrcpy-server-3.3.3')
  if (!existsSync(jar)) {
    process.stdout.write(`${JSON.stringify({ what: 'scrcpy touch', measured: false, why: `no ${jar}` })}\n`)
    return
  }
  await adb('push', jar, '/data/local/tmp/scrcpy.jar')
  const line =
    'CLASSPATH=/data/local/tmp/scrcpy.jar app_process / com.genymobile.scrcpy.Server 3.3.3 scid=0000002a tunnel_forward=true video=false audio=false control=true cleanup=false'
  const server = spawn('adb', ['shell', line], { env, stdio: 'ignore' })
  const port = Number((await adb('forward', 'tcp:0', 'localabstract:scrcpy_0000002a')).toString())
  let socket
  for (let attempt = 0; ; attempt++) {
    socket = connect(port, '127.0.0.1').setNoDelay(true)
    const first = await new Promise((resolve) => {
      socket.once('data', () => resolve(true))
      socket.once('close', () => resolve(false))
      socket.once('error', () => resolve(false))
    })
    if (first) break
    if (attempt > 50) throw new Error('The scrcpy server does not start')
    await delay(100)
  }
  const touch = (action) => {
    const message = Buffer.alloc(32)
    message.writeUInt8(2, 0)
    message.writeUInt8(action, 1)
    message.writeInt32BE(540, 10)
    message.writeInt32BE(1200, 14)
    message.writeUInt16BE(1080, 18)
    message.writeUInt16BE(2400, 20)
    message.writeUInt16BE(action === 0 ? 0xffff : 0, 22)
    return message
  }
  const took = []
  for (let i = 0; i < times * 4; i++) {
    const { touches } = phone.counters()
    const startedAt = performance.now()
    socket.write(touch(0))
    while (phone.counters().touches === touches) await tick()
    took.push(performance.now() - startedAt)
    socket.write(touch(1))
    await delay(50)
  }
  report('scrcpy: a touch', [6, 6], took, 10)
  socket.destroy()
  await new Promise((resolve) => server.once('close', resolve))
}

async function reboot() {
  const startedAt = performance.now()
  await adb('reboot')
  await delay(5000)
  for (;;) {
    await adb('disconnect', serial).catch(() => undefined)
    await adb('connect', serial).catch(() => undefined)
    const booted = await adb('shell', 'getprop sys.boot_completed').catch(() => Buffer.alloc(0))
    if (booted.toString().trim() === '1') break
    await delay(250)
  }
  report('reboot, until sys.boot_completed', [38_000, 42_000], [performance.now() - startedAt])
}

try {
  await adb('connect', serial)
  await measure('uiautomator dump', [2050, 2150], () =>
    adb('shell', 'uiautomator dump /data/local/tmp/d.xml'),
  )
  await measure('input tap', [230, 330], () => adb('shell', 'input tap 540 1200'))
  await measure('screencap -p', [300, 700], () => adb('exec-out', 'screencap', '-p'))
  await uiServer()
  await scrcpyTouch()
  if (process.argv.includes('--reboot')) await reboot()
} finally {
  await adb('kill-server').catch(() => undefined)
  await phone.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = good ? 0 : 1
