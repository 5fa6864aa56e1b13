/** Which implementation of each capability the enrolment's probe chose for a device. An empty name: the phone lacks it. */
import { z } from 'zod'

export const choiceSchema = z.object({
  input: z.enum(['scrcpy', 'input-commands']),
  text: z.enum(['scrcpy', 'input-commands']),
  ui: z.enum(['uiautomator-tty', 'uiautomator-file']),
  /** The UI server ran at enrolment; `ui` is used while it does not run. */
  uiServer: z.boolean().default(false),
  wipe: z.enum(['testharness', '']),
  /** `unproven`: set and not read back at enrolment. */
  clipboard: z.enum(['scrcpy', 'unproven', '']).default(''),
  /** Whether io.appium.settings is installed on the phone. */
  settingsApp: z.boolean().default(false),
  /** Its keyboard became the phone's and was given back at enrolment. */
  keyboard: z.boolean().default(false),
  location: z.enum(['settings-app', '']).default(''),
  locale: z.enum(['settings-app', '']).default(''),
  timezone: z.enum(['alarm', '']).default(''),
  files: z.enum(['sync', '']).default('sync'),
  packages: z.enum(['pm', '']).default(''),
  video: z.enum(['scrcpy', '']).default(''),
})
export type Choice = z.infer<typeof choiceSchema>
