/** Wraps the `SettingsService`: a text in the clipboard is masked in steps like a typed one, since apps and Android show it. */
import { ApiError } from '@phonerack/shared'
import { type SettingsService } from '../device-control/types.js'
import { type StepRecorder } from './recorder.js'

export const createNotedSettings = (
  settings: SettingsService,
  recorder: Pick<StepRecorder, 'noteText'>,
): SettingsService => ({
  ...settings,
  async setClipboard(caller, phoneId, text, context) {
    try {
      await settings.setClipboard(caller, phoneId, text, context)
    } catch (error) {
      // The phone may have it. Every other error means that it does not, or that the key must not control the phone.
      if (error instanceof ApiError && error.code === 'action_outcome_unknown')
        recorder.noteText(phoneId, text)
      throw error
    }
    recorder.noteText(phoneId, text)
  },
})
