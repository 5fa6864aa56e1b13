/**
 * The implementation of each capability that the enrolment's probe selected for a
 * device. An empty name: the phone lacks the capability.
 */
import { z } from 'zod'

export const choiceSchema = z.object({
  input: z.enum(['scrcpy', 'input-commands']),
  text: z.enum(['scrcpy', 'input-commands']),
  ui: z.enum(['uiautomator-tty', 'uiautomator-file']),
  /** The UI server ran at enrolment; `ui` is the fallback while it does not run. */
  uiServer: z.boolean().default(false),
  wipe: z.enum(['testharness', '']),
  /** `unproven`: the enrolment set the clipboard and could not read it back. */
  clipboard: z.enum(['scrcpy', 'unproven', '']).default(''),
  /** Whether io.appium.settings is installed on the phone. */
  settingsApp: z.boolean().default(false),
  /** Whether the enrolment could select the app's keyboard and restore the user's keyboard. */
  keyboard: z.boolean().default(false),
  location: z.enum(['settings-app', '']).default(''),
  locale: z.enum(['settings-app', '']).default(''),
  timezone: z.enum(['alarm', '']).default(''),
  files: z.enum(['sync', '']).default('sync'),
  packages: z.enum(['pm', '']).default(''),
  video: z.enum(['scrcpy', '']).default(''),
  /** Empty when the enrolment found that the signal of drawings is missing or wrong. */
  motion: z.enum(['scrcpy', '']).default('scrcpy'),
})
export type Choice = z.infer<typeof choiceSchema>

/** Returns the choice for the same phone on a host without a scrcpy server. */
export const withoutScrcpy = (choice: Choice): Choice => ({
  ...choice,
  input: 'input-commands',
  text: 'input-commands',
  clipboard: '',
  video: '',
  motion: '',
})
