/**
 * Appium's UiAutomator2 driver from npm, behind its WebDriver server, for the test in `clients/`. The package's tree
 * has 146 MB, which is too large for a dependency: the package is downloaded once, without its install scripts, and
 * kept in `node_modules/.cache`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

export const driverVersion = '8.7.0'
const appiumVersion = '3.8.0'
const installDeadlineMs = 240_000

const cache = fileURLToPath(new URL('../../../node_modules/.cache/phonerack/', import.meta.url))
const folder = join(cache, `appium-uiautomator2-driver-${driverVersion}`)

/** @throws when npm cannot fetch it */
async function install(): Promise<void> {
  if (existsSync(folder)) return
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'installing-'))
  const packages = [`appium-uiautomator2-driver@${driverVersion}`, `appium@${appiumVersion}`]
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  await promisify(execFile)('npm', ['install', '--prefix', fresh, ...options, ...packages], {
    timeout: installDeadlineMs,
  })
  if (existsSync(folder)) rmSync(fresh, { recursive: true })
  else renameSync(fresh, folder)
}

/** Provides `ANDROID_HOME`: the machine's adb at an SDK's path. */
function makeSdk(home: string): string {
  const sdk = join(home, 'android-sdk')
  mkdirSync(join(sdk, 'platform-tools'), { recursive: true })
  const adb = execFileSync('sh', ['-c', 'command -v adb']).toString().trim()
  symlinkSync(adb, join(sdk, 'platform-tools', 'adb'))
  return sdk
}

interface DriverModule {
  AndroidUiautomator2Driver: new () => object
}

interface BaseDriverModule {
  server(options: object): Promise<Server>
  routeConfiguringFunction(driver: object): unknown
}

export interface AppiumServer {
  /** The server's URL, `http://127.0.0.1:PORT`. */
  url: string
  close(): Promise<void>
}

/**
 * Starts the server. Sets environment variables of this process, so a test file can start only one server.
 * @param home a folder for the server's output
 */
export async function startAppium(home: string, port: number): Promise<AppiumServer> {
  await install()
  // With other log levels, the server logs every request.
  Object.assign(process.env, { ANDROID_HOME: makeSdk(home), HOME: home, _TESTING: '1' })
  const load = (path: string) =>
    import(pathToFileURL(join(folder, 'node_modules', path)).href) as Promise<unknown>
  const { AndroidUiautomator2Driver } = (await load(
    'appium-uiautomator2-driver/build/lib/index.js',
  )) as DriverModule
  const base = (await load('appium/driver.js')) as BaseDriverModule
  const driver = new AndroidUiautomator2Driver()
  const server = await base.server({
    routeConfiguringFunction: base.routeConfiguringFunction(driver),
    hostname: '127.0.0.1',
    port,
  })
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      // The server's `close` ends the whole process while a connection is open.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
