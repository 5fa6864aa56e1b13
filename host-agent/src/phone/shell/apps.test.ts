/** Opening apps: the forms of Android, and the app in front afterwards. */
import { Progress } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { printing } from '../../testing/printing.js'
import { createApps, iconOf } from './apps.js'
import { createWindows } from './windows.js'

const own = 'com.example.shop'
const entry = (at: number, component: string) =>
  `  Activity #${at}:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    ${component}\n`
/** Form: Android 10 to 16, an app with LeakCanary (callstack/agent-device#9, xarlord/btsec-testtool#462). */
const leaky = `2 activities found:\n${entry(0, `${own}/leakcanary.internal.activity.LeakLauncherActivity`)}${entry(1, `${own}/com.example.ui.Start`)}`

describe("an app's icon", () => {
  it.each([
    ['one', `1 activities found:\n${entry(0, `${own}/.Main`)}`, `${own}.Main`],
    ['LeakCanary first', leaky, 'com.example.ui.Start'],
    ['other names only', `${entry(0, `${own}/org.a.B`)}${entry(1, `${own}/org.a.C`)}`, 'org.a.B'],
    ['without facts (`--components`)', `${own}/.Main\n`, `${own}.Main`],
    [
      'another app answers',
      `1 activities found:\n${entry(0, 'android/com.android.internal.app.ResolverActivity')}`,
      null,
    ],
    ['none', 'No activities found\n', null],
  ])('%s', (_name, output, found) => {
    for (const text of [
      output,
      output.replaceAll('\n', '\r\n'),
      output.trimEnd(),
      `WARNING: linker\n${output}`,
    ])
      expect(iconOf(text, own), text).toBe(found)
  })
})

/** A phone that shows these packages in turn, and stays at the last. */
function phone(activities: string, ...inFront: string[]) {
  const started: string[] = []
  const transport = printing((line) => {
    if (line.includes('query-activities')) return activities
    if (line.startsWith('am start')) {
      started.push(line.split(' ').at(-1) ?? '')
      return ''
    }
    const name = (inFront.length > 1 ? inFront.shift() : inFront[0]) ?? ''
    return `  mInputShown=false\n  Display: mDisplayId=0\n  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{1 u0 ${name}/.Front t1}\n`
  })
  const apps = createApps(transport, createWindows(transport))
  return { started, open: () => apps.open(own, null, Progress.for(3000)) }
}
const launcher = 'com.android.launcher3'

describe('opening an app', () => {
  it('starts the activity of its icon, and names it', async () => {
    const { open, started } = phone(leaky, launcher, launcher, own)
    expect(await open()).toEqual({
      activity: 'com.example.ui.Start',
      app: { package: own, activity: `${own}.Front` },
    })
    expect(started).toEqual([`${own}/com.example.ui.Start`])
  })

  it('succeeds when a dialog of another package is in front', async () => {
    const { open } = phone(leaky, launcher, launcher, 'com.google.android.permissioncontroller')
    expect((await open()).app.package).toBe('com.google.android.permissioncontroller')
  })

  it('is unknown while nothing has changed', async () => {
    await expect(phone(leaky, launcher).open()).rejects.toThrow('took too long')
  })

  it('is an error when the activities are in another form', async () => {
    await expect(phone('Activities: 2\n', launcher).open()).rejects.toThrow('in an unknown form')
    await expect(phone('No activities found\n', launcher).open()).rejects.toMatchObject({
      code: 'app_not_found',
    })
  })
})
