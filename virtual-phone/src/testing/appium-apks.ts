/** Real APKs from Appium's packages. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const inPackage = (name: string, file: string) =>
  join(dirname(require.resolve(`${name}/package.json`)), 'apks', file)

/** Paths on the machine. */
export const appiumApks = {
  settings: inPackage('io.appium.settings', 'settings_apk-debug.apk'),
  server: inPackage('appium-uiautomator2-server', 'appium-uiautomator2-server-v10.6.6.apk'),
  serverTest: inPackage('appium-uiautomator2-server', 'appium-uiautomator2-server-debug-androidTest.apk'),
}
