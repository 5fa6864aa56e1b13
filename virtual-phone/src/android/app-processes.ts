/**
 * The processes of the running apps: one process per package with a task, including the home screen.
 * Installed helpers have separate processes (`running.ts`). Used by `ps`, `pidof`, `dumpsys` and `am`.
 */
import type { Android } from './android.js'
import { findPackage } from './packages.js'

export interface AppProcess {
  pid: number
  package: string
  /** `u0_a100`, as `ps` prints it. */
  user: string
  uid: number
  /** Whether the app's activity is on the screen. */
  isFront: boolean
}

const homePackage = 'com.android.launcher3'

/**
 * Returns the processes, the foreground app first. Their PIDs are above the PIDs of the system, and below the PIDs of
 * the shell's commands.
 */
export function appProcesses(android: Android): AppProcess[] {
  const { world, running } = android
  const names = [...new Set([...world.runningApps(), homePackage])]
  return names.flatMap((name) => {
    const app = findPackage(android, name)
    if (app === null || running.isRunning(name)) return []
    const id = app.uid - 10_000
    return [
      {
        pid: 40_000 + id,
        package: name,
        user: `u0_a${id}`,
        uid: app.uid,
        isFront: world.focused.package === name,
      },
    ]
  })
}
